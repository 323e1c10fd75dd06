/** What may be read: the scope of grants, less what the owner excludes, narrowed to a request. */
import { ApiError } from "../errors/errors.ts";
import type { Manifest } from "../manifest/manifest-schema.ts";
import { type FieldShape, getProperties, type StreamShape } from "../manifest/stream-shape.ts";
import { parseTimeMs } from "../record/time.ts";
import type { Condition } from "./condition.ts";
import { type Exclusion, isInPlace } from "./exclusion.ts";
import type { Grant, GrantStream } from "./grant.ts";
import type { ParentScope, ReadScope, StreamScope } from "./read-scope.ts";
import { fitCondition } from "./resolve-where.ts";

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

type FindShape = (connection_id: string, stream: string) => StreamShape | undefined;

/** Removes from a scope what the exclusions hide, and what belongs to records that it does not cover. */
export function applyExclusions(
  scope: ReadScope,
  exclusions: readonly Exclusion[],
  findShape: FindShape,
): ReadScope {
  const findNever = (entry: StreamScope, shape: StreamShape): StreamScope["never"] => {
    const conditions = exclusions.flatMap((each) => listConditions(each, entry, shape));
    const record_ids = exclusions.flatMap(({ hides }) => (isRecordOf(hides, entry) ? [hides.record_id] : []));
    // Even if the field is not declared: records of an earlier declaration may have it.
    const patterns = exclusions
      .filter(({ hides }) => hides.kind === "pattern" && isInPlace(hides, entry))
      .map(({ rule_id }) => rule_id);
    if (conditions.length + record_ids.length + patterns.length === 0) return undefined;
    return { conditions, record_ids, ...(patterns.length > 0 ? { patterns } : {}) };
  };
  const streams = scope.streams.map((entry) => {
    const shape = findShape(entry.connection_id, entry.stream);
    const never = shape && findNever(entry, shape);
    return never ? { ...entry, never } : entry;
  });
  return narrowChildren({ ...scope, streams }, { findShape, findNever });
}

/**
 * The conditions that an exclusion puts on a stream, including those on undeclared fields: the store knows whether an
 * earlier declaration had the field.
 */
function listConditions({ hides }: Exclusion, entry: StreamScope, shape: StreamShape): Condition[] {
  switch (hides.kind) {
    case "record":
      return hides.connection_id === entry.connection_id ? listInside(hides, entry, shape) : [];
    case "person":
      return shape.fields.filter(isTextToSelectBy).map(({ name: field }) => createTest(field, hides.person));
    case "value": {
      const { condition } = hides;
      const field = shape.fields.find(({ name }) => name === condition.field);
      const isPossible = field === undefined || field.filterable || hides.stream !== undefined;
      return isInPlace(hides, entry) && isPossible
        ? [field ? fitCondition(condition, field) : condition]
        : [];
    }
    case "pattern":
      return [];
  }
}

/** Hides what is inside a hidden record of the same stream, such as a subpage. */
function listInside(
  { stream, record_id }: Extract<Exclusion["hides"], { kind: "record" }>,
  entry: StreamScope,
  { parents, fields }: StreamShape,
): Condition[] {
  return parents
    .filter((parent) => parent.stream === stream && stream === entry.stream)
    .flatMap(({ foreign_key }) => fields.filter(({ name, filterable }) => name === foreign_key && filterable))
    .map((field) => fitCondition({ field: field.name, op: "equals", value: record_id }, field));
}

/** `*@domain` and `@domain` match everybody there; `name*` matches everybody whose name or address begins with it. */
function createTest(field: string, person: string): Condition {
  const value = person.replace(/^\*(?=@)/, "");
  if (value.endsWith("*") && value.length > 1) return { field, op: "prefix", value: value.slice(0, -1) };
  return { field, op: "equals", value };
}

function isTextToSelectBy({ filterable, types, listed = [], format }: FieldShape): boolean {
  return filterable && format === undefined && [...types, ...listed].includes("string");
}

function isRecordOf(
  hides: Exclusion["hides"],
  { connection_id, stream }: StreamScope,
): hides is Extract<Exclusion["hides"], { kind: "record" }> {
  return hides.kind === "record" && hides.connection_id === connection_id && hides.stream === stream;
}

/** How deep parents nest: attachments, messages, conversations, accounts. */
const MAX_DEPTH = 4;

interface Lookups {
  readonly findShape: (connection_id: string, stream: string) => StreamShape | undefined;
  /** What the owner's exclusions hide of a stream. */
  readonly findNever: (entry: StreamScope, shape: StreamShape) => StreamScope["never"];
}

/**
 * Adds to each stream the limits on the parents of its records. The grant limits a parent's stream if it names it; the owner's
 * exclusions always do. A record may belong to another of its stream, such as a page inside a page: that narrows nothing.
 */
function narrowChildren(scope: ReadScope, lookups: Lookups): ReadScope {
  const streams = scope.streams.map((entry) => {
    const within = listParents(entry, scope, lookups, [entry.stream]);
    return within.length === 0 ? entry : { ...entry, within };
  });
  return { ...scope, streams };
}

function listParents(
  { connection_id, stream }: StreamScope,
  scope: ReadScope,
  lookups: Lookups,
  path: readonly string[],
): ParentScope[] {
  const parents = lookups.findShape(connection_id, stream)?.parents ?? [];
  if (path.length > MAX_DEPTH) return [];
  return parents.flatMap(({ stream: parent, foreign_key }) => {
    const shape = path.includes(parent) ? undefined : lookups.findShape(connection_id, parent);
    if (!shape) return [];
    const granted = scope.streams.find(
      (each) => each.connection_id === connection_id && each.stream === parent,
    );
    const entry: StreamScope = granted ?? { connection_id, stream: parent, fields: [] };
    const { time, record_ids, where } = entry;
    const never = lookups.findNever(entry, shape);
    const within = listParents(entry, scope, lookups, [...path, parent]);
    const limits = {
      ...(time ? { time } : {}),
      ...(record_ids ? { record_ids } : {}),
      ...(where ? { where } : {}),
      ...(never ? { never } : {}),
      ...(within.length > 0 ? { within } : {}),
    };
    return Object.keys(limits).length === 0 ? [] : [{ foreign_key, stream: parent, ...limits }];
  });
}

/**
 * Whether a record without a parent is out of scope: only if the grant selects parents, not if it merely leaves some
 * out.
 */
export function needsParent({ time, record_ids, where, within = [] }: ParentScope): boolean {
  return (time ?? record_ids ?? where) !== undefined || within.some(needsParent);
}
