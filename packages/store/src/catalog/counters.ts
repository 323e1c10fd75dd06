import type { Database, SqlContext, SqlRow, WriteSql } from "../database.ts";
import { createNoOwner, parseAccount, type UsageRow } from "../owners/account.ts";
import { requireRoom } from "../owners/usage.ts";
import type { Embedders } from "../vectors/embedders.ts";

/** The next numbers of an owner's documents, changes and index segments, as columns of `owners`. */
export interface Counters {
  next_doc: number;
  next_seq: number;
  next_run: number;
}

/** A transaction that holds an owner's counters. */
export interface WriteContext extends SqlContext<WriteSql> {
  readonly counters: Counters;
  /** What the transaction adds to the owner's records and their bytes; negative when it deletes. */
  readonly added: { records: number; bytes: number };
  readonly embedders: Embedders;
}

/** The destination of records, and the embedder of their passages. */
export interface WriteTarget {
  readonly database: Database;
  readonly embedders: Embedders;
}

/**
 * Runs `work` as a transaction that reads the owner's counters first and stores them last. Rolls back what exceeds the
 * owner's quota.
 */
export function withCounters<T>(
  { database, embedders }: WriteTarget,
  owner: number,
  work: (context: WriteContext) => Promise<T>,
): Promise<T> {
  return database.write(owner, async (sql) => {
    const [row] = await sql.all<Counters & SqlRow & { account: string | null }>(
      "SELECT next_doc, next_seq, next_run, account FROM owners WHERE owner = $1",
      [owner],
    );
    if (!row) throw createNoOwner();
    const { account, ...counters } = row;
    const added = { records: 0, bytes: 0 };
    const result = await work({ sql, owner, counters, added, embedders });
    const { quota } = parseAccount(owner, account);
    const values = [
      owner,
      counters.next_doc,
      counters.next_seq,
      counters.next_run,
      added.records,
      added.bytes,
    ];
    const isLimited = (quota.records ?? quota.bytes) !== undefined && (added.records > 0 || added.bytes > 0);
    // Without a quota, nothing needs the new totals.
    if (!isLimited) await sql.run(MOVE_ON, values);
    else
      requireRoom(
        quota,
        (await sql.all<UsageRow>(`${MOVE_ON} RETURNING record_count, byte_count`, values))[0],
        added,
      );
    return result;
  });
}

const MOVE_ON = `UPDATE owners SET next_doc = $2, next_seq = $3, next_run = $4,
  record_count = record_count + $5, byte_count = byte_count + $6 WHERE owner = $1`;

/** The last document number that the owner's records have used. */
export async function readLastDoc({ sql, owner }: SqlContext): Promise<number> {
  const [row] = await sql.all<{ next_doc: number }>("SELECT next_doc FROM owners WHERE owner = $1", [owner]);
  return (row?.next_doc ?? 1) - 1;
}
