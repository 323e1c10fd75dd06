/** The owner's decision on a request: it can narrow the requested scope, never widen it. */
import { createHash } from "node:crypto";
import {
  ApiError,
  DATA_ACCESS_TYPE,
  type Grant,
  type GrantStream,
  type MaskChoice,
  parseTimeMs,
  type SelectionRequest,
} from "@rungs/contract";
import { hasMaskRules } from "@rungs/evidence";
import type { GrantRequest } from "../../owner/grants.ts";
import type { ChosenStream, ConsentDecision } from "./consents-port.ts";
import type { RequestedScope, RequestedStream } from "./requested-scope.ts";

/** A grant expires unless the owner chooses otherwise (R71). */
const DAYS_DEFAULT = 30;
const DAYS_MAX = 3650;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The initial decision: the streams that the client named; streams that it left open start unselected. */
export function decideAsRequested({ streams }: RequestedScope): ConsentDecision {
  const named = streams.filter(({ is_named }) => is_named).map(withoutPrivate);
  return { streams: named, expires_in_days: DAYS_DEFAULT };
}

/** A private field is granted only if the owner chooses it, even if the client names it. */
function withoutPrivate(requested: RequestedStream): ChosenStream {
  const all = narrowStream(requested);
  const { source, limits } = requested;
  const isGiven = (name: string) =>
    !isPrivateField(source, limits, name) || isRequiredField(source, limits, name);
  return { ...all, fields: all.fields.filter(isGiven) };
}

/** Limits a decision to the requested scope: drops streams and fields that the client did not request. */
export function narrowDecision(decision: ConsentDecision, { streams }: RequestedScope): ConsentDecision {
  const chosen = streams.flatMap((requested) => {
    const own = decision.streams.find((each) => isSameStream(each, requested));
    return own ? [narrowStream(requested, own)] : [];
  });
  const { streams: _, ...rest } = decision;
  return { streams: chosen, ...rest };
}

/** Writes the decision as the order for its grant; without details while no stream is chosen. */
export function writeGrantOrder(
  client: Grant["client"],
  decision: ConsentDecision,
  requested: RequestedScope,
  now_ms: number,
): GrantRequest {
  return {
    client,
    details: writeAuthorizationDetails(decision, requested),
    expires_at_ms: computeExpiry(decision, now_ms),
    masks: writeMasks(decision),
    budget: decision.budget,
  };
}

/** What a grant with this decision masks; undefined for nothing. */
function writeMasks({ masks, streams }: ConsentDecision): MaskChoice | undefined {
  if (!masks || !hasMaskRules(masks)) return undefined;
  const except = streams.map(({ connection_id, stream, plain_fields = [] }) => ({
    connection_id,
    stream,
    fields: plain_fields,
  }));
  return { ...masks, except };
}

/** When a grant with this decision expires; undefined when it does not. */
export function computeExpiry({ expires_in_days }: ConsentDecision, now_ms: number): number | undefined {
  if (expires_in_days === undefined) return undefined;
  if (Number.isInteger(expires_in_days) && expires_in_days >= 1 && expires_in_days <= DAYS_MAX) {
    return now_ms + expires_in_days * DAY_MS;
  }
  const message = `expires_in_days is a whole number from 1 to ${DAYS_MAX}.`;
  throw new ApiError("invalid_request", { param: "expires_in_days", message });
}

/** Writes the decision as the authorization details of a grant, one for each source. */
export function writeAuthorizationDetails(
  decision: ConsentDecision,
  { purpose, streams }: RequestedScope,
): SelectionRequest[] {
  const picked = decision.streams.flatMap((chosen) => {
    const requested = streams.find((each) => isSameStream(chosen, each));
    return requested ? [{ chosen, requested }] : [];
  });
  const bySource = Map.groupBy(picked, ({ requested }) => requested.source.connector_key);
  return [...bySource].map(([id, group]) => ({
    type: DATA_ACCESS_TYPE,
    source: { id },
    ...purpose,
    streams: group.map(({ chosen, requested }) => writeStreamRequest(chosen, requested)),
  }));
}

function writeStreamRequest(
  { stream, fields, since, until, where: chosen = [], resources: kept }: ChosenStream,
  { source, limits }: RequestedStream,
) {
  const resources = limits.resources?.filter((id) => kept?.includes(id) ?? true) ?? kept;
  const where = [...(limits.where ?? []), ...chosen];
  const declared = source.manifest.streams.find(({ name }) => name === stream);
  return {
    name: stream,
    instance_ids: [source.connection_id],
    ...(declared?.selection?.fields === false ? {} : { fields: [...fields] }),
    ...(since === undefined && until === undefined ? {} : { time_range: { since, until } }),
    ...(resources ? { resources: [...resources] } : {}),
    ...(where.length === 0 ? {} : { where }),
  };
}

function isSameStream({ connection_id, stream }: ChosenStream, { source, limits }: RequestedStream): boolean {
  return connection_id === source.connection_id && stream === limits.name;
}

function narrowStream({ source, limits }: RequestedStream, chosen?: ChosenStream): ChosenStream {
  const { time_constraint: time } = limits;
  const hasTime = findTimeField(source, limits) !== undefined;
  const since = hasTime ? pickNarrower(Math.max, time?.since, readTime(chosen?.since, "since")) : undefined;
  const until = hasTime ? pickNarrower(Math.min, time?.until, readTime(chosen?.until, "until")) : undefined;
  const fields = limits.fields.filter(
    (name) => !chosen || chosen.fields.includes(name) || isRequiredField(source, limits, name),
  );
  return {
    connection_id: source.connection_id,
    stream: limits.name,
    fields,
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(chosen?.where === undefined ? {} : { where: chosen.where }),
    ...(chosen?.plain_fields?.length ? { plain_fields: chosen.plain_fields } : {}),
    ...(chosen?.resources === undefined ? {} : { resources: chosen.resources }),
  };
}

/** Whether every grant of the stream includes the field: the schema requires it, or the source does not allow choosing fields. */
export function isRequiredField(
  source: RequestedStream["source"],
  { name: stream }: GrantStream,
  field: string,
): boolean {
  const declared = source.manifest.streams.find(({ name }) => name === stream);
  const shape = source.shapes.get(stream)?.fields.find(({ name }) => name === field);
  return declared?.selection?.fields === false || shape?.required === true;
}

/** Whether the source declares the field private. */
export function isPrivateField(
  { shapes }: RequestedStream["source"],
  { name: stream }: GrantStream,
  field: string,
): boolean {
  return shapes.get(stream)?.fields.find(({ name }) => name === field)?.is_private === true;
}

/** The field that a time limit applies to; undefined when the stream cannot be limited by time. */
export function findTimeField(
  { shapes }: RequestedStream["source"],
  { name }: GrantStream,
): string | undefined {
  return shapes.get(name)?.consent_time_field;
}

function readTime(text: string | undefined, param: string): string | undefined {
  if (text === undefined || text === "") return undefined;
  const time_ms = parseTimeMs(text);
  if (time_ms !== undefined) return new Date(time_ms).toISOString();
  throw new ApiError("invalid_request", { param, message: `${param} is not an ISO 8601 time.` });
}

/** The narrower of the given limits; undefined when there is none. */
function pickNarrower(
  narrower: (a: number, b: number) => number,
  ...times: readonly (string | undefined)[]
): string | undefined {
  const known = times.flatMap((time) => parseTimeMs(time) ?? []);
  const [first, ...others] = known;
  return first === undefined
    ? undefined
    : new Date(others.reduce((a, b) => narrower(a, b), first)).toISOString();
}

/** Covers everything shown and everything that would be granted, including the versions of declarations. */
export function computeDigest(shown: object, grant: Grant | undefined): string {
  const { authorization_details = [], budget } = grant ?? {};
  return createHash("sha256")
    .update(JSON.stringify([shown, authorization_details, budget]))
    .digest("base64url");
}
