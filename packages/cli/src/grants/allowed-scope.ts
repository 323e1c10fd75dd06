/** Parses `--allow` and the options that narrow it into the authorization details of a grant. */
import {
  ApiError,
  type Condition,
  DATA_ACCESS_TYPE,
  EVERY_STREAM,
  parseCondition,
  type SelectionRequest,
  type StreamRequest,
} from "@rungs/contract";
import { parseRecordId } from "@rungs/evidence";
import type { Connection } from "@rungs/store";
import { UsageError } from "../command/exit.ts";

/** The purpose of a grant that the owner makes without --purpose. */
const DEFAULT_PURPOSE = "https://pdpp.dev/purpose/assistance";

/** The options of `rungs grant create`. */
export interface AllowOptions {
  readonly allow: readonly string[];
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly records: readonly string[];
  readonly where?: readonly string[];
  readonly except?: readonly string[];
  readonly single_use: boolean;
  readonly purpose: string | undefined;
}

interface Allowed {
  readonly connection_id: string;
  readonly stream: string;
  readonly fields: readonly string[] | undefined;
}

/** The options as given on the command line. */
type Written = Pick<AllowOptions, "allow" | "where" | "except">;

const ALLOWED = /^(?<connection_id>[^/]+)\/(?<stream>[^:]+)(?::(?<fields>.+))?$/;

/** Parses the requested scope: one authorization detail per `--allow`. */
export function requireAllowedScope(
  options: AllowOptions,
  connections: readonly Connection[],
): SelectionRequest[] {
  if (options.allow.length === 0)
    throw new UsageError("--allow is required: CONNECTION/STREAM, or CONNECTION/*.");
  return options.allow.map((text) => {
    const allowed = requireAllowed(text);
    const connection = connections.find(({ connection_id }) => connection_id === allowed.connection_id);
    if (!connection)
      throw new UsageError(`There is no connection ${allowed.connection_id}; see rungs connections.`);
    return {
      type: DATA_ACCESS_TYPE,
      source: { id: connection.source_id },
      purpose_code: options.purpose ?? DEFAULT_PURPOSE,
      access_mode: options.single_use ? "single_use" : "continuous",
      streams: [createStreamRequest(allowed, options)],
    };
  });
}

/** Rewrites an error that points into the authorization details so that it names the `--allow` it came from. */
export function nameAllowed(thrown: unknown, { allow, where = [], except = [] }: Written): unknown {
  if (!(thrown instanceof ApiError)) return thrown;
  const { param, message = "" } = thrown.details;
  const [place, index] = /^authorization_details\[(\d+)\](?:\.streams\[0\])?/.exec(param ?? "") ?? [];
  const text = allow[Number(index)];
  if (place === undefined || text === undefined) return thrown;
  const { stream, fields = "" } = ALLOWED.exec(text)?.groups ?? {};
  const conditions = [
    ...where.map((each) => `--where '${each}'`),
    ...except.map((each) => `--except '${each}'`),
  ];
  const problem = message
    .replaceAll(place, "")
    .replace(/^[.:\s]+/, "")
    .replace(/^fields\[(\d+)\]/, (whole, at) => fields.split(",")[Number(at)] ?? whole)
    .replace(/^name(?= is not a stream)/, stream ?? "name")
    .replace(/^where\[(\d+)\](?:\.\w+(?:\[\d+\])?)?/, (whole, at) => `${conditions[Number(at)] ?? whole}:`)
    .replace(/: \((\S+)\) is not a field/, ": $1 is not a field");
  return new ApiError(thrown.code, {
    ...thrown.details,
    param: "--allow",
    message: `--allow ${text}: ${problem}`,
    next: /\.where\b/.test(param ?? "")
      ? "Correct the condition; --help has examples."
      : "rungs connections lists the connections and their streams.",
  });
}

function requireAllowed(text: string): Allowed {
  const { connection_id, stream, fields } = ALLOWED.exec(text)?.groups ?? {};
  if (connection_id === undefined || stream === undefined) {
    throw new UsageError(`--allow takes CONNECTION/STREAM or CONNECTION/STREAM:FIELD,FIELD, not ${text}.`);
  }
  return { connection_id, stream, fields: fields?.split(",") };
}

function createStreamRequest(allowed: Allowed, options: AllowOptions): StreamRequest {
  const { since, until, records } = options;
  const { connection_id, stream: name, fields } = allowed;
  const where = listConditions(options);
  if (records.length > 0 && name === EVERY_STREAM)
    throw new UsageError(
      `--record needs the stream that has the record: --allow ${connection_id}/STREAM, not ${connection_id}/${EVERY_STREAM}.`,
    );
  const resources = records.map((id) => parseRecordKey(id, allowed));
  return {
    name,
    instance_ids: [connection_id],
    ...(fields ? { fields: [...fields] } : {}),
    ...(since === undefined && until === undefined ? {} : { time_range: { since, until } }),
    ...(resources.length === 0 ? {} : { resources }),
    ...(where.length === 0 ? {} : { where }),
  };
}

function listConditions({ where = [], except = [] }: AllowOptions): Condition[] {
  return [...where.map(parseCondition), ...except.map((written) => negate(parseCondition(written), written))];
}

/** Negates a condition. */
function negate(condition: Condition, written: string): Condition {
  const { field } = condition;
  switch (condition.op) {
    case "equals":
      return { field, op: "not_in", values: [condition.value] };
    case "in":
      return { field, op: "not_in", values: condition.values };
    case "present":
    case "absent":
      return { field, op: condition.op === "present" ? "absent" : "present" };
    default:
      throw new UsageError(
        `--except takes a field with values, such as 'labels includes "private"', not ${written}.`,
      );
  }
}

/** `--record` takes a record key or a whole record id. */
function parseRecordKey(id: string, { connection_id, stream }: Allowed): string {
  if (!id.startsWith(`${connection_id}/${stream}:`) && !id.startsWith("pdpp://")) return id;
  return parseRecordId(id, connection_id).record_id;
}
