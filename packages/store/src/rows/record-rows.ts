import { parseFieldPath } from "@rungs/evidence";
import type { ScopedPartition } from "../catalog/catalog.ts";
import type { SqlRow } from "../database.ts";
import type { StoredCut, StoredRecord } from "../store.ts";
import { newestMark, parseMarks } from "./marks.ts";

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
