import { ApiError } from "../errors/errors.ts";
import type { Manifest } from "../manifest/manifest-schema.ts";
import { getProperties } from "../manifest/stream-shape.ts";
import { parseTimeMs } from "../record/time.ts";
import type { Grant, GrantStream } from "./grant.ts";
import type { ReadScope, StreamScope } from "./read-scope.ts";

/**
 * The scope of a token's grants at this time. Expired grants allow nothing; when none is left, throws `grant_expired`.
 * The store checks revocation: pass only grants that are not revoked.
 */
export function resolveScope(owner_id: string, grants: readonly Grant[], now_ms: number): ReadScope {
  if (grants.length === 0) throw new ApiError("grant_invalid");
  if (grants.some((grant) => grant.subject.id !== owner_id)) throw new ApiError("grant_invalid");
  const live = grants.filter((grant) => !isExpired(grant, now_ms));
  if (live.length === 0) throw new ApiError("grant_expired");
  const streams = live
    .flatMap((grant) => grant.authorization_details)
    .flatMap((detail) => detail.streams.flatMap(toStreamScopes));
  requireNoOverlap(streams);
  return { owner_id, streams };
}

/** The scope of an owner token: everything that the owner's connections declare. */
export function ownerScope(
  owner_id: string,
  connections: readonly { readonly connection_id: string; readonly manifest: Manifest }[],
): ReadScope {
  const streams = connections.flatMap(({ connection_id, manifest }) =>
    manifest.streams.map((stream) => ({
      connection_id,
      stream: stream.name,
      fields: Object.keys(getProperties(stream)),
    })),
  );
  return { owner_id, streams };
}

/** A key for grants that changes with anything they allow; cursors are bound to it. */
export function grantKey(grants: readonly Grant[]): string {
  const keys = grants.map(({ grant_id, authorization_details }) =>
    JSON.stringify([grant_id, authorization_details]),
  );
  return `[${keys.sort().join(",")}]`;
}

/** A time limit that cannot be parsed makes the grant invalid; ignoring it would lift the limit. */
function toStreamScopes({
  name,
  instance_ids,
  fields,
  time_constraint,
  resources,
  masks,
  where,
}: GrantStream): StreamScope[] {
  const since_ms = requireTimeMs(time_constraint?.since);
  const until_ms = requireTimeMs(time_constraint?.until);
  const limited = since_ms !== undefined || until_ms !== undefined;
  return instance_ids.map((connection_id) => ({
    connection_id,
    stream: name,
    fields,
    ...(limited ? { time: { since_ms, until_ms } } : {}),
    ...(resources ? { record_ids: resources } : {}),
    ...(masks ? { masks } : {}),
    ...(where ? { where } : {}),
  }));
}

function requireTimeMs(time: string | undefined): number | undefined {
  if (time === undefined) return undefined;
  const timeMs = parseTimeMs(time);
  if (timeMs === undefined) throw new ApiError("grant_invalid");
  return timeMs;
}

function isExpired({ expires_at }: Grant, now_ms: number): boolean {
  const expires_at_ms = requireTimeMs(expires_at);
  return expires_at_ms !== undefined && expires_at_ms <= now_ms;
}

/** Merging two entries for one stream would allow more than either does. */
function requireNoOverlap(streams: readonly StreamScope[]): void {
  const covered = streams.map(({ connection_id, stream }) => `${connection_id}/${stream}`);
  const twice = covered.find((each, at) => covered.indexOf(each) < at);
  if (twice !== undefined) throw new ApiError("grant_conflict", { message: `Two entries cover ${twice}.` });
}

/** What a request narrows a scope to. */
export interface ScopeChoice {
  /** One connection, or several. */
  readonly connection_id?: string | readonly string[] | undefined;
  /** One stream, or several. */
  readonly stream?: string | readonly string[] | undefined;
  /** Top-level field names. */
  readonly fields?: readonly string[] | undefined;
}

/**
 * Narrows a scope to a request, and never widens it. Anything outside gets the same error whether or not it exists:
 * `grant_stream_not_allowed` for a stream or connection, `field_not_granted` for a field that no remaining entry covers.
 * If a request names several streams or connections, each must be in the scope.
 */
export function narrowScope(scope: ReadScope, { connection_id, stream, fields }: ScopeChoice): ReadScope {
  const streams = scope.streams.filter(
    (entry) => isChosen(connection_id, entry.connection_id) && isChosen(stream, entry.stream),
  );
  const isThere =
    listChosen(connection_id).every((one) => streams.some((entry) => entry.connection_id === one)) &&
    listChosen(stream).every((one) => streams.some((entry) => entry.stream === one));
  if (!isThere) {
    throw new ApiError("grant_stream_not_allowed", {
      param: stream === undefined ? "connection_id" : "stream",
    });
  }
  return { ...scope, streams: fields ? keepFields(streams, fields) : streams };
}

/** Whether a request's choice of one, several or all includes a name. */
export function isChosen(choice: string | readonly string[] | undefined, name: string): boolean {
  return choice === undefined || listChosen(choice).includes(name);
}

function listChosen(choice: string | readonly string[] | undefined): readonly string[] {
  return typeof choice === "string" ? [choice] : (choice ?? []);
}

function keepFields(streams: ReadScope["streams"], fields: readonly string[]): ReadScope["streams"] {
  for (const field of fields) {
    if (!streams.some((entry) => entry.fields.includes(field))) {
      throw new ApiError("field_not_granted", { param: "fields" });
    }
  }
  return streams
    .map((entry) => ({ ...entry, fields: entry.fields.filter((field) => fields.includes(field)) }))
    .filter((entry) => entry.fields.length > 0);
}
