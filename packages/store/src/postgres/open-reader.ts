import assert from "node:assert/strict";
import type pg from "pg";
import { EVERYONE, type Whose } from "../database.ts";
import { createReadOnly, type Reader } from "../workers/reader.ts";
import { readSnapshot } from "./database.ts";
import { OwnerPool } from "./owner-pool.ts";
import { createPool } from "./pool.ts";
import type { PostgresSql } from "./postgres-sql.ts";

/** Opens a database for one read at a time. PostgreSQL itself ends a statement after `statement_ms`, also one that a lost thread left behind. */
export function openPostgresReader(url: string, role: string | undefined, statement_ms: number): Reader {
  const options = `-c default_transaction_read_only=on -c statement_timeout=${statement_ms}`;
  const traffic = { statements: 0, rows: 0, bytes: 0 };
  const pool = new OwnerPool(createPool(url, { max: 1, options, role }), traffic);
  // Only the login's own role may cancel.
  const canceller = createPool(url, { max: 1 });
  const inUse = new Map<PostgresSql, pg.PoolClient>();

  function use<T>(whose: Whose, work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    assert(whose !== EVERYONE, "A read is always of one owner.");
    return pool.use(whose, async (sql, client) => {
      inUse.set(sql, client);
      try {
        return await work(sql);
      } finally {
        inUse.delete(sql);
      }
    });
  }

  const database = createReadOnly({
    traffic,
    read: (whose, work) => use(whose, (sql) => readSnapshot(sql, work)),
    peek: use,
    peekByToken: (digest, work) => pool.useByToken(digest, work),
    findOwner: (owner_id) => pool.findOwner(owner_id),
    close: async () => {
      await Promise.all([pool.end(), canceller.end()]);
    },
  });
  return {
    database,
    cancel() {
      for (const [sql, client] of inUse) {
        const { processID } = client as unknown as { readonly processID: number };
        // Not reused: a cancellation that comes late would hit the next read.
        sql.lost = new Error("The statement was cancelled.");
        canceller.query("SELECT pg_cancel_backend($1)", [processID]).catch(() => undefined);
      }
    },
  };
}
