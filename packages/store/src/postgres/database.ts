import type pg from "pg";
import type { Database, Sql, WriteSql } from "../database.ts";
import type { Traffic } from "../store.ts";
import { PostgresSql } from "./postgres-sql.ts";

/**
 * Where several indexes begin alike, with the columns that tell them apart. Before PostgreSQL knows how many values these have, it
 * takes a walk through a stream for as cheap as a look-up by key, and its own upkeep comes a minute late.
 */
const ALIKE = "records (owner, part, record_id, doc), changes (owner, part, record_id, seq)";
/** Writers look up by keys alone. With those of an owner or a stream that came after the last ANALYZE, a plan expects no rows and walks. */
const PLAN_FOR_ANY = "SET LOCAL plan_cache_mode = force_generic_plan";
const FIRST_DOCS = 256;
const GROWTH = 4;

/** `notes` is a pool whose commits do not wait for the disk. */
export function createPostgresDatabase(pool: pg.Pool, notes: pg.Pool): Database {
  const traffic: Traffic = { statements: 0, rows: 0, bytes: 0 };
  const names = new Map<string, string>();
  let nextLesson = FIRST_DOCS;

  async function withSql<T>(from: pg.Pool, work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    const client = await from.connect();
    const sql = new PostgresSql(client, traffic, names);
    try {
      return await work(sql);
    } finally {
      client.release(sql.lost);
    }
  }

  return {
    traffic,
    read: (work) => withSql(pool, (sql) => readSnapshot(sql, work)),
    peek: (work) => withSql(pool, work),
    write: (owner, work) => withSql(pool, (sql) => writeAsOne(sql, owner, work)),
    appendAuditRows: (rows) =>
      withSql(notes, async (sql) => {
        await sql.insert("audit", rows);
        await sql.settle();
      }),
    flushAuditJournal: async () => undefined,
    async analyzeIfGrown(docs) {
      if (docs < nextLesson) return;
      nextLesson = docs * GROWTH;
      // What was written is written, whether or not this works.
      await pool.query(`ANALYZE (SKIP_LOCKED) ${ALIKE}`).catch(() => undefined);
    },
    async analyze() {
      await pool.query("ANALYZE");
    },
    async close() {
      await Promise.all([pool.end(), notes.end()]);
    },
  };
}

async function readSnapshot<T>(sql: PostgresSql, work: (sql: Sql) => Promise<T>): Promise<T> {
  sql.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  try {
    const result = await work(sql);
    sql.requireSuccess();
    return result;
  } finally {
    // Nobody needs to wait for the end: who uses the connection next comes after it.
    sql.send("COMMIT");
  }
}

async function writeAsOne<T>(
  sql: PostgresSql,
  owner: number,
  work: (sql: WriteSql) => Promise<T>,
): Promise<T> {
  try {
    sql.send("BEGIN");
    sql.send(PLAN_FOR_ANY);
    // Writers of an owner wait for each other here.
    sql.send("SELECT 1 FROM owners WHERE owner = $1 FOR UPDATE", [owner]);
    await sql.settle();
    const result = await work(sql);
    // After a statement that failed, it undoes everything.
    sql.send("COMMIT");
    await sql.settle();
    return result;
  } catch (error) {
    await sql.rollBack();
    throw error;
  }
}
