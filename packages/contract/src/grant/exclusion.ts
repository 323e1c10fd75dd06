/** The owner's exclusions: what no agent reads, whatever a grant allows (R81). */
import { connectionIdSchema, expressionSchema, recordIdSchema, streamNameSchema } from "@rungs/evidence";
import { z } from "zod";
import type { FieldShape, StreamShape } from "../manifest/stream-shape.ts";
import { type Condition, conditionSchema } from "./condition.ts";
import type { ParentScope, ReadScope, StreamScope } from "./read-scope.ts";

/**
 * What an exclusion hides: one record, every record with a person in a field to select by, every record that meets a condition, or
 * every record in which an RE2 expression has a match, in any field or in one.
 */
const hiddenSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("record"),
    connection_id: connectionIdSchema,
    stream: streamNameSchema,
    record_id: recordIdSchema,
  }),
  z.strictObject({ kind: z.literal("person"), person: z.string().trim().min(1).max(256) }),
  z.strictObject({
    kind: z.literal("value"),
    condition: conditionSchema,
    connection_id: connectionIdSchema.optional(),
    stream: streamNameSchema.optional(),
  }),
  z.strictObject({
    kind: z.literal("pattern"),
    pattern: expressionSchema,
    field: z.string().min(1).optional(),
    connection_id: connectionIdSchema.optional(),
    stream: streamNameSchema.optional(),
  }),
]);

export const exclusionSchema = z.strictObject({
  rule_id: z.string().min(1).max(128),
  created_at: z.iso.datetime({ offset: true }),
  note: z.string().max(1_000).optional(),
  hides: hiddenSchema,
});

/** A rule of the owner about what no agent reads. */
export type Exclusion = z.infer<typeof exclusionSchema>;

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
    const patterns = exclusions
      .filter(({ hides }) => isPatternFor(hides, entry, shape))
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

/** The conditions that an exclusion puts on a stream; none where it has no field to compare. */
function listConditions({ hides }: Exclusion, entry: StreamScope, shape: StreamShape): Condition[] {
  switch (hides.kind) {
    case "record":
      return hides.connection_id === entry.connection_id ? listInside(hides, entry, shape) : [];
    case "person":
      return shape.fields.filter(isTextToSelectBy).map(({ name: field }) => createTest(field, hides.person));
    case "value": {
      const { condition } = hides;
      const field = shape.fields.find(({ name }) => name === condition.field);
      return isInPlace(hides, entry) && field?.filterable ? [condition] : [];
    }
    case "pattern":
      return [];
  }
}

function isPatternFor(hides: Exclusion["hides"], entry: StreamScope, { fields }: StreamShape): boolean {
  if (hides.kind !== "pattern" || !isInPlace(hides, entry)) return false;
  return hides.field === undefined || fields.some(({ name }) => name === hides.field);
}

/** Whether a rule is about a stream: it names the stream, its connection, or neither. */
export function isInPlace(
  {
    connection_id,
    stream,
  }: { readonly connection_id?: string | undefined; readonly stream?: string | undefined },
  place: { readonly connection_id: string; readonly stream: string },
): boolean {
  return (
    (connection_id === undefined || connection_id === place.connection_id) &&
    (stream === undefined || stream === place.stream)
  );
}

/** What is inside a hidden record of the same stream, such as a page of a page, is hidden with it. */
function listInside(
  { stream, record_id }: Extract<Exclusion["hides"], { kind: "record" }>,
  entry: StreamScope,
  { parents, fields }: StreamShape,
): Condition[] {
  return parents
    .filter((parent) => parent.stream === stream && stream === entry.stream)
    .filter(({ foreign_key }) => fields.some(({ name, filterable }) => name === foreign_key && filterable))
    .map(({ foreign_key }) => ({ field: foreign_key, op: "equals", value: record_id }));
}

/** `*@domain` and `@domain` mean everybody there; `name*` everybody whose name or address begins with it. */
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

/** Whether a record without a parent is outside: so it is if the grant selects parents and does not only leave some out. */
export function needsParent({ time, record_ids, where, within = [] }: ParentScope): boolean {
  return (time ?? record_ids ?? where) !== undefined || within.some(needsParent);
}
