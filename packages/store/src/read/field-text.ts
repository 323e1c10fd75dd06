/** The text of a field under a scope: in chunks, or in its record's row. */
import type { ReadScope, StreamScope } from "@rungs/contract";
import { countBytes, countChars, requireFieldPath, valueAt } from "@rungs/evidence";
import type { Catalog } from "../catalog/catalog.ts";
import { idWithin, meetsConditions, timeWithin } from "../catalog/scope-sql.ts";
import { formatMasks, type ScopedPartition } from "../catalog/scoped-partition.ts";
import { type Database, Parameters, type SqlContext, type SqlRow } from "../database.ts";
import { joinRange } from "../rows/chunks.ts";
import { digestText, topLevel } from "../rows/record-rows.ts";
import { CHUNK_CHARS } from "../rows/sizes.ts";
import type { FieldFacts, FieldSlice, StoredCut, StoredRef } from "../store.ts";

/** A field that the scope covers, with the limits that the statement must apply. */
export interface Place {
  readonly ref: StoredRef;
  readonly path: string;
  readonly field: string;
  readonly limits: StreamScope;
  /** The partition, where the scope has conditions on records. */
  readonly partition?: ScopedPartition;
}

/** The place of a field; undefined when the scope does not cover the field. Only conditions on records need a statement for it. */
export async function findPlace(
  { database, catalog, owner }: { database: Database; catalog: Catalog; owner: number },
  scope: ReadScope,
  ref: StoredRef,
  field_path: string,
): Promise<Place | undefined> {
  requireFieldPath(field_path);
  const field = topLevel(field_path);
  const limits = scope.streams.find(
    (one) => one.connection_id === ref.connection_id && one.stream === ref.stream,
  );
  if (!limits?.fields.includes(field)) return undefined;
  const place = { ref, path: field_path, field, limits };
  if (!limits.where && !limits.never && !limits.within) return place;
  const partition = await database.peek(owner, (sql) =>
    catalog.findScopedPartition({ sql, owner }, scope, ref),
  );
  return partition && { ...place, partition };
}

/**
 * `parts p` and `records r` of the one record, under the scope. Statements use them in a CROSS JOIN because SQLite keeps its
 * order: from the record to its text, never the other way.
 */
function matchRecord({ sql, owner }: SqlContext, parameters: Parameters, place: Place): string {
  const { ref, limits, partition } = place;
  const conditions = [
    `p.owner = ${parameters.add(owner)}`,
    `p.connection_id = ${parameters.add(ref.connection_id)}`,
    `p.stream = ${parameters.add(ref.stream)}`,
    ...withMasks(parameters, limits),
    `r.owner = p.owner AND r.part = p.part AND r.record_id = ${parameters.add(ref.record_id)}`,
    ...timeWithin(parameters, limits.time, "r.time_ms"),
    ...idWithin(sql.dialect, parameters, limits, "r.record_id"),
    ...(partition ? meetsConditions({ sql, owner, partition }, parameters, "r.doc") : []),
  ];
  return conditions.join(" AND ");
}

/** The partition with the text as the scope masks it, once all its records are there. */
function withMasks(parameters: Parameters, { masks }: StreamScope): string[] {
  const written = formatMasks(masks);
  return written === null
    ? ["p.masks IS NULL"]
    : [`p.masks = ${parameters.add(written)}`, "p.copied_doc IS NULL"];
}

function matchText(context: SqlContext, parameters: Parameters, place: Place): string {
  return `${matchRecord(context, parameters, place)} AND t.owner = r.owner AND t.doc = r.doc AND t.path = ${parameters.add(place.path)}
    AND ${context.sql.dialect.isAnyText("t.field", parameters.add(place.limits.fields))}`;
}

export interface TextRow extends SqlRow {
  part: number;
  doc: number;
  text_no: number;
  text_start: number;
  field: string;
  kind: FieldFacts["kind"];
  size_chars: number;
  size_bytes: number;
  digest: string;
  first_position: number | null;
  end_position: number | null;
}

const TEXT_COLUMNS =
  "p.part, t.doc, t.text_no, t.start_char AS text_start, t.field, t.kind, t.size_chars, t.size_bytes, t.digest, t.first_position, t.end_position";

export async function findText(context: SqlContext, place: Place): Promise<TextRow | undefined> {
  const parameters = new Parameters();
  const [row] = await context.sql.all<TextRow>(
    `SELECT ${TEXT_COLUMNS} FROM parts p CROSS JOIN records r CROSS JOIN texts t WHERE ${matchText(context, parameters, place)}`,
    parameters.values,
  );
  return row;
}

/** A slice of a text in chunks: one statement, which includes the scope. */
export async function readStored(
  context: SqlContext,
  place: Place,
  range: { start: number; end: number },
): Promise<FieldSlice | undefined> {
  const parameters = new Parameters();
  const text = matchText(context, parameters, place);
  // An empty text has no chunks, but it exists. The bounds are columns of a separate subquery: under row-level
  // security, PostgreSQL uses an index only for comparisons of columns, and a sum of columns would filter the whole
  // text.
  const rows = await context.sql.all<TextRow & { start_char: number; body: Uint8Array | null }>(
    `SELECT x.*, c.start_char, c.body FROM (
       SELECT ${TEXT_COLUMNS}, t.owner, t.start_char + ${parameters.add(range.start - CHUNK_CHARS)} AS low_char, t.start_char + ${parameters.add(range.end)} AS high_char
       FROM parts p CROSS JOIN records r CROSS JOIN texts t WHERE ${text} LIMIT 1 OFFSET 0) x
     LEFT JOIN chunks c ON c.owner = x.owner AND c.doc = x.doc AND c.text_no = x.text_no AND c.start_char > x.low_char AND c.start_char < x.high_char
     ORDER BY c.start_char`,
    parameters.values,
  );
  const [first] = rows;
  const chunks = rows.flatMap(({ start_char, body }) => (body ? [{ start_char, body }] : []));
  return (
    first &&
    cutSlice(toFacts(first), range, (from, to) =>
      joinRange(context, first, chunks, first.text_start + from, first.text_start + to),
    )
  );
}

export interface InlineText {
  readonly kind: "text" | "json";
  readonly text: string;
}

/** A value from its record's row; undefined when it is missing, null, or inside a cut value. */
export async function readInline(context: SqlContext, place: Place): Promise<InlineText | undefined> {
  const parameters = new Parameters();
  const [row] = await context.sql.all<{ data: string; cuts: string }>(
    `SELECT r.data, r.cuts FROM parts p CROSS JOIN records r WHERE ${matchRecord(context, parameters, place)}`,
    parameters.values,
  );
  if (!row) return undefined;
  const cut = (JSON.parse(row.cuts) as StoredCut[]).some(
    ({ path, kind }) => kind !== "binary" && topLevel(path) === place.field,
  );
  const value = cut ? undefined : valueAt(JSON.parse(row.data), requireFieldPath(place.path));
  if (value === undefined || value === null) return undefined;
  return typeof value === "string"
    ? { kind: "text", text: value }
    : { kind: "json", text: JSON.stringify(value) };
}

export function toFacts({ kind, size_chars, size_bytes, digest }: FieldFacts): FieldFacts {
  return { kind, size_chars, size_bytes, digest };
}

export function describeInline(inline: InlineText | undefined): FieldFacts | undefined {
  if (!inline) return undefined;
  const { kind, text } = inline;
  return { kind, size_chars: countChars(text), size_bytes: countBytes(text), digest: digestText(text) };
}

export function cutSlice(
  facts: FieldFacts,
  range: { start: number; end: number },
  read: (start: number, end: number) => string,
): FieldSlice {
  const start_chars = Math.min(range.start, facts.size_chars);
  const end_chars = Math.max(start_chars, Math.min(range.end, facts.size_chars));
  return { ...facts, text: read(start_chars, end_chars), start_chars, end_chars };
}
