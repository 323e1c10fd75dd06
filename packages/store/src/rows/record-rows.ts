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
  const data: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(JSON.parse(row.data) as Record<string, unknown>)) {
    if (fields.has(field)) data[field] = value;
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
