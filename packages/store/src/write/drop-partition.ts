/** Deletes partitions with everything in them, a batch at a time. */
import type { WriteContext } from "../catalog/counters.ts";
import type { SqlContext, Value, WriteSql } from "../database.ts";
import { deleteUnusedBlobs, listReferredBlobs } from "./blobs.ts";
import { DOCUMENT_TABLES, deleteDocumentRows, TEXT_TABLES } from "./document-rows.ts";

/** How many records one transaction deletes; other writers run between two of them. */
const BATCH_RECORDS = 500;

/**
 * Deletes the index and some records of the partitions that meet a condition on `parts`, or the partitions themselves once they
 * have none; returns whether any are left. The condition's first parameter is the owner.
 */
export async function dropSomeRecords(
  context: WriteContext,
  condition: string,
  place: readonly Value[],
): Promise<boolean> {
  const { sql, owner, counters } = context;
  const parts = `SELECT part FROM parts WHERE ${condition}`;
  // Cached facts are valid up to the next change number.
  counters.next_seq += 1;
  await sql.run(
    `DELETE FROM blocks WHERE owner = $1 AND run IN (SELECT run FROM runs WHERE owner = $1 AND part IN (${parts}))`,
    place,
  );
  for (const table of ["runs", "dead", "vectors"])
    await sql.run(`DELETE FROM ${table} WHERE owner = $1 AND part IN (${parts})`, place);
  const rows = await sql.all<{ doc: number }>(
    `SELECT doc FROM records WHERE owner = $1 AND part IN (${parts}) LIMIT ${BATCH_RECORDS}`,
    place,
  );
  await deleteDocuments(
    { sql, owner },
    rows.map(({ doc }) => doc),
  );
  if (rows.length === BATCH_RECORDS) return true;
  for (const table of ["changes", "former_values"])
    await sql.run(`DELETE FROM ${table} WHERE owner = $1 AND part IN (${parts})`, place);
  await sql.run(`DELETE FROM parts WHERE ${condition}`, place);
  return false;
}

async function deleteDocuments({ sql, owner }: SqlContext<WriteSql>, docs: readonly number[]): Promise<void> {
  const blob_ids = await listReferredBlobs({ sql, owner }, docs);
  await deleteDocumentRows({ sql, owner }, [...DOCUMENT_TABLES, ...TEXT_TABLES, "records"], docs);
  await deleteUnusedBlobs({ sql, owner }, blob_ids);
}
