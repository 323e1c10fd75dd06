import type pg from "pg";
import { createReadOnly, type Reader } from "../workers/reader.ts";
import { readSnapshot } from "./database.ts";
import { createPool } from "./pool.ts";
import { PostgresSql } from "./postgres-sql.ts";

/** One connection reads, the other cancels. */
const CONNECTIONS = 2;

/** Opens a database for one read at a time. PostgreSQL itself ends a statement after `statement_ms`, also one that a lost thread left behind. */
export function openPostgresReader(url: string, statement_ms: number): Reader {
  const options = `-c default_transaction_read_only=on -c statement_timeout=${statement_ms}`;
  const pool = createPool(url, { max: CONNECTIONS, options });
  const traffic = { statements: 0, rows: 0, bytes: 0 };
  const names = new Map<string, string>();
  const inUse = new Map<PostgresSql, pg.PoolClient>();

  async function withSql<T>(work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    const sql = new PostgresSql(client, traffic, names);
    inUse.set(sql, client);
    try {
      return await work(sql);
    } finally {
      inUse.delete(sql);
      client.release(sql.lost);
    }
  }

  const database = createReadOnly({
    traffic,
    read: (work) => withSql((sql) => readSnapshot(sql, work)),
    peek: withSql,
    close: () => pool.end(),
  });
  return {
    database,
    cancel() {
      for (const [sql, client] of inUse) {
        const { processID } = client as unknown as { readonly processID: number };
        // Not reused: a cancellation that comes late would hit the next read.
        sql.lost = new Error("The statement was cancelled.");
        pool.query("SELECT pg_cancel_backend($1)", [processID]).catch(() => undefined);
      }
    },
  };
}
