/** Parameters of the specification and of its published OpenAPI document, as parameters of ours. */
import { ApiError, type WireRequest } from "@rungs/contract";
import type { Authority } from "../access/authority.ts";
import type { GuardedName } from "../operations/handler.ts";
import { requireStream } from "../records/target.ts";
import { CONNECTION_ALIAS } from "./stream-metadata.ts";

type Parameter = readonly [name: string, value: string];
type Rewrite = (parameter: Parameter, request: WireRequest, authority: Authority) => readonly Parameter[];

/** By operation and name. Other names pass through unchanged. */
const rewrites: { readonly [Name in GuardedName]?: Readonly<Record<string, Rewrite>> } = {
  schema: { view: drop, detail: drop },
  search: { streams: rename("stream") },
  list_records: { sort: readSort, fields: addRequired },
  fetch: { fields: addRequired },
  aggregate: { group_by_time: requireTimeField, granularity: readGranularity, time_zone: readTimeZone },
};

/** Rewrites the query of a request for an operation. */
export function readProtocolQuery(
  name: GuardedName,
  request: WireRequest,
  authority: Authority,
): WireRequest {
  const own: Readonly<Record<string, Rewrite>> = {
    [CONNECTION_ALIAS]: rename("connection_id"),
    ...rewrites[name],
  };
  const query = [...request.query].flatMap((parameter) => {
    const [given] = parameter;
    return Object.hasOwn(own, given) ? (own[given]?.(parameter, request, authority) ?? []) : [parameter];
  });
  return { ...request, query };
}

/** The level of detail of a schema: ours has only one. */
function drop(): readonly Parameter[] {
  return [];
}

function rename(to: string): Rewrite {
  return ([, value]) => [[to, value]];
}

/** `sort=-sent_at`: by the cursor field only, which is what records are listed by. */
function readSort(
  [param, value]: Parameter,
  request: WireRequest,
  authority: Authority,
): readonly Parameter[] {
  const { shape } = findStream(request, authority);
  const field = value.replace(/^-/, "");
  if (field !== shape.cursor_field) {
    refuse(param, `records are listed by ${shape.cursor_field ?? "their key"} only; omit sort`);
  }
  return [["order", value.startsWith("-") ? "desc" : "asc"]];
}

/** Fields that the stream's schema requires are always included. */
function addRequired(
  [param, value]: Parameter,
  request: WireRequest,
  authority: Authority,
): readonly Parameter[] {
  const { fields } = findStream(request, authority).shape;
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return [[param, [...new Set([...value.split(","), ...required])].join(",")]];
}

function requireTimeField(
  [param, value]: Parameter,
  request: WireRequest,
  authority: Authority,
): readonly Parameter[] {
  const { consent_time_field } = findStream(request, authority).shape;
  if (!isGiven(request, "granularity")) refuse(param, "needs a granularity, such as month");
  if (value !== consent_time_field) {
    refuse(
      param,
      consent_time_field ? `groups by ${consent_time_field} only` : "this stream has no granted time",
    );
  }
  return [["order", "group"]];
}

function readGranularity([param, value]: Parameter, request: WireRequest): readonly Parameter[] {
  if (!isGiven(request, GROUP_BY_TIME)) refuse(param, `needs ${GROUP_BY_TIME}`);
  return [["time_bucket", value]];
}

function readTimeZone([param, value]: Parameter, request: WireRequest): readonly Parameter[] {
  if (!isGiven(request, GROUP_BY_TIME) && !isGiven(request, "time_bucket"))
    refuse(param, `needs ${GROUP_BY_TIME}`);
  return [[param, value]];
}

const GROUP_BY_TIME = "group_by_time";

function isGiven({ query }: WireRequest, param: string): boolean {
  return [...query].some(([name]) => name === param);
}

function findStream({ path, query }: WireRequest, authority: Authority) {
  const connection_id = [...query].find(
    ([name]) => name === "connection_id" || name === CONNECTION_ALIAS,
  )?.[1];
  return requireStream(authority, { stream: path.stream ?? "", connection_id });
}

function refuse(param: string, problem: string): never {
  throw new ApiError("invalid_request", { param, message: `${param}: ${problem}.` });
}
