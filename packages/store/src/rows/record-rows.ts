/**
 * Rows of records: a scope's view of one, its searched strings, and its marks, which say when each field last changed.
 * A scope sees the newest change among its own fields, so that a change to a hidden field affects neither times nor the
 * list of changes.
 */
import { createHash } from "node:crypto";
import type { FieldShape } from "@rungs/contract";
import { type FieldPath, formatFieldPath, MAX_PATH_CHARS, parseFieldPath } from "@rungs/evidence";
import type { ScopedPartition } from "../catalog/scoped-partition.ts";
import type { SqlRow } from "../database.ts";
import type { StoredCut, StoredRecord } from "../store.ts";

export interface RecordRow extends SqlRow {
  record_id: string;
  doc: number;
  seq: number;
  emitted_at: string;
  marks: string | null;
  data: string;
  cuts: string;
}

/** The columns that `toStoredRecord` reads, of `records` named `r`. */
export const RECORD_COLUMNS = "r.record_id, r.doc, r.seq, r.emitted_at, r.marks, r.data, r.cuts";

/** A row as a scope sees it: the requested `fields`, and the newest change among all fields that the scope covers. */
export function toStoredRecord(
  partition: ScopedPartition,
  row: RecordRow,
  fields: ReadonlySet<string>,
): StoredRecord {
  const stored = JSON.parse(row.data) as Record<string, unknown>;
  const data: Record<string, unknown> = {};
  // In the declared order: the stored one may move with a change of a hidden field.
  for (const { name } of partition.shape.fields) {
    if (fields.has(name) && Object.hasOwn(stored, name)) data[name] = stored[name];
  }
  const cuts =
    row.cuts === "[]"
      ? []
      : (JSON.parse(row.cuts) as StoredCut[]).filter((cut) => fields.has(topLevel(cut.path)));
  return {
    connection_id: partition.connection_id,
    stream: partition.stream,
    record_id: row.record_id,
    emitted_at: newestMark(parseMarks(row), partition.granted).emitted_at,
    data,
    cuts,
  };
}

/** The top-level field of a path, or "" when it is not a path. */
export function topLevel(path: string): string {
  return String(parseFieldPath(path)?.[0] ?? "");
}

/** A searchable string of a record, with its path. */
export interface LexicalText {
  readonly path: string;
  readonly text: string;
}

/** The searchable strings of a field's value that have a path, in order of their token positions; `encoded` paths hold bytes. */
export function lexicalTexts(
  field: FieldShape,
  value: unknown,
  encoded: ReadonlySet<string> = new Set(),
): LexicalText[] {
  const texts: LexicalText[] = [];
  const declared = field.lexical.map((path) => dropIndexes(parseFieldPath(path) ?? []));
  walkStrings(value, [field.name], (text, path) => {
    const names = dropIndexes(path);
    if (!declared.some((wanted) => wanted.every((name, at) => names[at] === name))) return;
    const place = formatFieldPath(path);
    if (place.length <= MAX_PATH_CHARS && !encoded.has(place)) texts.push({ path: place, text });
  });
  return texts;
}

/** A path without its list indexes. */
function dropIndexes(path: FieldPath): FieldPath {
  return path.filter((segment) => typeof segment === "string");
}

/** Visits a value and its descendants in order; `enter` returns whether to descend into a value. */
export function walk(
  value: unknown,
  path: FieldPath,
  enter: (value: unknown, path: FieldPath) => boolean,
): void {
  if (!enter(value, path) || value === null || typeof value !== "object") return;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) walk(item, [...path, at], enter);
  } else {
    for (const [name, item] of Object.entries(value)) walk(item, [...path, name], enter);
  }
}

/** Visits every string at or below a value. */
function walkStrings(value: unknown, path: FieldPath, visit: (text: string, path: FieldPath) => void): void {
  walk(value, path, (each, at) => {
    if (typeof each === "string") visit(each, at);
    return true;
  });
}

const PIECE_UNITS = 1 << 16;

/** The SHA-256 of a text's UTF-8, computed piece by piece so that a huge text is never encoded whole. */
export function digestText(text: string): string {
  const hash = createHash("sha256");
  for (let unit = 0; unit < text.length; ) {
    let end = Math.min(text.length, unit + PIECE_UNITS);
    const code = text.charCodeAt(end - 1);
    if (end < text.length && code >= 0xd800 && code <= 0xdbff) end -= 1;
    hash.update(text.slice(unit, end), "utf8");
    unit = end;
  }
  return `sha256:${hash.digest("hex")}`;
}

/** The last change of most fields, and those of the fields that differ. */
export interface Marks {
  readonly seq: number;
  readonly emitted_at: string;
  /** By field; absent fields have `seq` and `emitted_at`. */
  readonly others: Readonly<Record<string, readonly [seq: number, emitted_at: string]>>;
}

export function parseMarks(row: { seq: number; emitted_at: string; marks: string | null }): Marks {
  return {
    seq: row.seq,
    emitted_at: row.emitted_at,
    others: row.marks === null ? {} : JSON.parse(row.marks),
  };
}

/** The marks after `changed` fields changed at `seq`. */
export function advanceMarks(
  before: Marks,
  changed: readonly string[],
  seq: number,
  emitted_at: string,
): Marks {
  const others = { ...before.others };
  for (const field of changed) others[field] = [seq, emitted_at];
  return { ...before, others };
}

/** The newest change among `fields`. */
export function newestMark(marks: Marks, fields: Iterable<string>): { seq: number; emitted_at: string } {
  let newest = { seq: 0, emitted_at: marks.emitted_at };
  for (const field of fields) {
    const [seq, emitted_at] = Object.hasOwn(marks.others, field)
      ? (marks.others[field] as [number, string])
      : [marks.seq, marks.emitted_at];
    if (seq > newest.seq) newest = { seq, emitted_at };
  }
  return newest;
}

export function formatMarks(marks: Marks): string | null {
  return Object.keys(marks.others).length === 0 ? null : JSON.stringify(marks.others);
}

/** A 32-bit number that orders equal hits the same way on both engines and reveals nothing: FNV-1a over the record's identity. */
export function computeTie(connection_id: string, stream: string, record_id: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${connection_id}/${stream}:${record_id}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}
