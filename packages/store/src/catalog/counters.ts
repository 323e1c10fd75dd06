import type { Database, SqlRow, WriteSql } from "../database.ts";

export interface Counters {
  next_doc: number;
  next_seq: number;
  next_run: number;
}

/** Runs `work` in a transaction that holds the owner's counters. */
export function withCounters<T>(
  database: Database,
  owner: number,
  work: (sql: WriteSql, counters: Counters) => Promise<T>,
): Promise<T> {
  return database.write(owner, async (sql) => {
    const [row] = await sql.all<Counters & SqlRow>(
      "SELECT next_doc, next_seq, next_run FROM owners WHERE owner = $1",
      [owner],
    );
    const counters = { ...(row as Counters) };
    const result = await work(sql, counters);
    await sql.run("UPDATE owners SET next_doc = $2, next_seq = $3, next_run = $4 WHERE owner = $1", [
      owner,
      counters.next_doc,
      counters.next_seq,
      counters.next_run,
    ]);
    return result;
  });
}
