/** Writes the change log: one row for each change of a record, without those that a later one covers. */
import type { WriteSql } from "../database.ts";
import type { RecordWriter } from "./record-writer.ts";

export const ChangeKind = { created: 0, changed: 1, moved: 2, deleted: 3 } as const;

export interface ChangeRow {
  readonly owner: number;
  readonly partition: number;
  readonly seq: number;
  readonly record_id: string;
  readonly kind: number;
  readonly fields: readonly string[];
  readonly old_time_ms: number | null;
  readonly emitted_at: string;
  readonly changed_at: string;
}

/** Adds a change, and drops former ones that it makes superfluous. */
export async function recordChange(sql: WriteSql, writer: RecordWriter, change: ChangeRow): Promise<void> {
  const { owner, partition, seq, record_id, kind, fields, old_time_ms, emitted_at, changed_at } = change;
  if (kind === ChangeKind.changed) await dropCovered(sql, change);
  await writer.add("changes", [
    owner,
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

/** Removes the changes of a record that is deleted: only its tombstone stays. */
export async function forgetChanges(
  sql: WriteSql,
  owner: number,
  partition: number,
  record_id: string,
): Promise<void> {
  await sql.run(
    `DELETE FROM changes WHERE owner = $1 AND part = $2 AND record_id = $3 AND kind < ${ChangeKind.moved}`,
    [owner, partition, record_id],
  );
}

async function dropCovered(sql: WriteSql, { owner, partition, record_id, fields }: ChangeRow): Promise<void> {
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
