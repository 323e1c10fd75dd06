/** Writes the change log: one row per change of a record, except changes that a later one covers. */
import type { SqlContext, WriteSql } from "../database.ts";
import type { RecordWriter } from "./record-writer.ts";

/** `moved`: the consent time or a value that conditions compare changed, so that the record may have entered or left a scope. */
export const ChangeKind = { created: 0, changed: 1, moved: 2, deleted: 3 } as const;

export interface ChangeRow {
  readonly partition: number;
  readonly seq: number;
  readonly record_id: string;
  readonly kind: number;
  /** The top-level fields that changed; empty for `created` and `deleted`. */
  readonly fields: readonly string[];
  /** The consent time before the change. */
  readonly old_time_ms: number | null;
  readonly emitted_at: string;
  readonly changed_at: string;
}

/** Adds a change, and deletes the record's earlier changes that it covers. */
export async function recordChange(
  context: SqlContext<WriteSql>,
  writer: RecordWriter,
  change: ChangeRow,
): Promise<void> {
  const { partition, seq, record_id, kind, fields, old_time_ms, emitted_at, changed_at } = change;
  if (kind === ChangeKind.changed) await dropCovered(context, change);
  await writer.add("changes", [
    context.owner,
    partition,
    seq,
    record_id,
    kind,
    JSON.stringify(fields),
    old_time_ms,
    emitted_at,
    changed_at,
  ]);
}

/** Deletes the changes of a deleted record: only its tombstone stays. */
export async function forgetChanges(
  { sql, owner }: SqlContext<WriteSql>,
  partition: number,
  record_id: string,
): Promise<void> {
  await sql.run(
    `DELETE FROM changes WHERE owner = $1 AND part = $2 AND record_id = $3 AND kind < ${ChangeKind.moved}`,
    [owner, partition, record_id],
  );
}

/** A change covers an earlier one if it changes all of the earlier one's fields. */
async function dropCovered(
  { sql, owner }: SqlContext<WriteSql>,
  { partition, record_id, fields }: ChangeRow,
): Promise<void> {
  const rows = await sql.all<{ seq: number; fields: string }>(
    `SELECT seq, fields FROM changes WHERE owner = $1 AND part = $2 AND record_id = $3 AND kind = ${ChangeKind.changed}`,
    [owner, partition, record_id],
  );
  const covered = rows.filter((row) =>
    (JSON.parse(row.fields) as string[]).every((field) => fields.includes(field)),
  );
  if (covered.length === 0) return;
  await sql.run(
    `DELETE FROM changes WHERE owner = $1 AND part = $2 AND ${sql.dialect.isAnyNumber("seq", "$3")}`,
    [owner, partition, covered.map((row) => row.seq)],
  );
}
