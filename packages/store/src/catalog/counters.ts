import type { Database, SqlContext, SqlRow, WriteSql } from "../database.ts";
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
  readonly embedders: Embedders;
}

/** What records are written to, and what makes the vectors of their passages. */
export interface WriteTarget {
  readonly database: Database;
  readonly embedders: Embedders;
}

/** Runs `work` as a transaction that reads the owner's counters first and stores them last. */
export function withCounters<T>(
  { database, embedders }: WriteTarget,
  owner: number,
  work: (context: WriteContext) => Promise<T>,
): Promise<T> {
  return database.write(owner, async (sql) => {
    const [row] = await sql.all<Counters & SqlRow>(
      "SELECT next_doc, next_seq, next_run FROM owners WHERE owner = $1",
      [owner],
    );
    const counters = { ...(row as Counters) };
    const result = await work({ sql, owner, counters, embedders });
    await sql.run("UPDATE owners SET next_doc = $2, next_seq = $3, next_run = $4 WHERE owner = $1", [
      owner,
      counters.next_doc,
      counters.next_seq,
      counters.next_run,
    ]);
    return result;
  });
}
