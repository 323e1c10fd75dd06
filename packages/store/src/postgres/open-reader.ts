import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { EVERYONE, type Whose } from "../database.ts";
import { PROGRAM_OWNER } from "../schema.ts";
import type { SlowWatch } from "../slow-queries.ts";
import { createReadOnly, type Reader } from "../workers/reader.ts";
import { SNAPSHOT } from "./database.ts";
import { type Observe, OwnerPool } from "./owner-pool.ts";
import { createPool } from "./pool.ts";
import type { PostgresSql } from "./postgres-sql.ts";
import { Seal, type SealKeys } from "./seal.ts";
import { ServerList } from "./server-list.ts";

/** How long a read waits for a lagging replica to catch up. */
const CATCH_UP_MS = 100;

interface ReaderSettings {
  readonly role: string | undefined;
  /** PostgreSQL itself cancels a statement after this time, including one that a lost thread left behind. */
  readonly statement_ms: number;
  /** For a replica: the database that it must be a copy of. */
  readonly replica_of?: string | undefined;
  readonly slow?: SlowWatch | undefined;
  readonly seal?: SealKeys | undefined;
}

/** Opens a database for one read at a time. */
export function openPostgresReader(url: string, settings: ReaderSettings): Reader {
  const { role, statement_ms, replica_of, slow, seal: keys } = settings;
  const traffic = { statements: 0, rows: 0, bytes: 0 };
  const servers = new ServerList(url);
  const connections = createPool(servers, { max: 1, role, replica_of });
  const seal = keys && new Seal(keys);
  const pool = new OwnerPool(connections, traffic, { role, slow, seal, statement_timeout: statement_ms });
  // Only the login's own role may cancel.
  const canceller = createPool(servers, { max: 1, replica_of });
  const inUse = new Map<PostgresSql, string>();
  const freshness = new Freshness();

  function use<T>(whose: Whose, work: (sql: PostgresSql) => Promise<T>, begin?: string): Promise<T> {
    assert(whose !== EVERYONE, "A read is always of one owner.");
    return pool.observe(
      whose,
      async (sql) => {
        inUse.set(sql, servers.current);
        try {
          return await work(sql);
        } finally {
          inUse.delete(sql);
        }
      },
      {
        begin,
        before: (client, observe) => freshness.check(client, whose, observe),
        guard: (sql) => freshness.guard(sql, whose),
      },
    );
  }

  const database = createReadOnly({
    traffic,
    read: (whose, work) => use(whose, work, SNAPSHOT),
    peek: (whose, work) => use(whose, work),
    peekByToken: (token_digest, work) => pool.observe({ token_digest }, work),
    async findOwner(owner_id) {
      const owner = await pool.findOwner(owner_id);
      if (owner === undefined) freshness.requireNothing();
      return owner;
    },
    close: async () => {
      await Promise.all([pool.end(), canceller.end()]);
    },
  });
  return {
    database,
    require(write_version) {
      freshness.required = write_version;
    },
    cancel() {
      for (const [sql, server] of inUse) {
        // Do not reuse it: a late cancellation would hit the next read.
        sql.lost = new Error("The statement was cancelled.");
        // Process ids belong to one server.
        if (server === servers.current && sql.process_id !== undefined)
          canceller.query("SELECT pg_cancel_backend($1)", [sql.process_id]).catch(() => undefined);
      }
    },
    drop: () => connections.drop(),
  };
}

/** A replica did not catch up in time for the read. */
class StaleReplicaError extends Error {}

/** Divides by zero unless the owner's row has at least version `$2`. Runs in the reads' own transaction. */
const REQUIRE_VERSION = "SELECT 1 / count(*) FROM owners WHERE owner = $1 AND write_version >= $2";

/** Holds reads until their connection shows what the primary had committed when their caller was authorized (R130). */
class Freshness {
  /** The version of the owner's writes that the read must see; undefined on the primary, which has all. */
  required: number | undefined;
  /** The last version seen on a connection, so that most reads need not check and wait. */
  readonly #shown = new WeakMap<pg.PoolClient, { readonly owner: number; readonly version: number }>();

  async check(client: pg.PoolClient, owner: number, observe: Observe): Promise<void> {
    const required = this.#requiredOf(owner);
    if (required === undefined) return;
    const shown = this.#shown.get(client);
    if (shown?.owner === owner && shown.version >= required) return;
    await observe(async (sql) => {
      for (let wait_ms = 1; wait_ms <= CATCH_UP_MS; wait_ms *= 2) {
        const [row] = await sql.all<{ version: number | null }>(
          "SELECT write_version AS version FROM owners WHERE owner = $1",
          [owner],
        );
        const version = row?.version ?? -1;
        this.#shown.set(client, { owner, version });
        if (version >= required) return;
        await delay(wait_ms);
      }
      throw new StaleReplicaError("The replica is behind.");
    });
  }

  /** Behind a pooler, a transaction may run on a different replica from the one seen before. */
  guard(sql: PostgresSql, owner: number): void {
    const required = this.#requiredOf(owner);
    if (required !== undefined) sql.send(REQUIRE_VERSION, [owner, required]);
  }

  /** Program rows never change, and predate any owner's rows that need them. */
  #requiredOf(owner: number): number | undefined {
    return owner === PROGRAM_OWNER ? undefined : this.required;
  }

  /** A missing owner may not have been replicated yet. */
  requireNothing(): void {
    if (this.required !== undefined) throw new StaleReplicaError("The replica may be behind.");
  }
}
