import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "@rungs/contract";
import { createStore } from "../create-store.ts";
import { SCHEMA_VERSION, updateSchema } from "../schema.ts";
import { watchSlow } from "../slow-queries.ts";
import type { Store, StoreOptions } from "../store.ts";
import type { WorkerStart } from "../workers/messages.ts";
import { poolReads } from "../workers/pooled-store.ts";
import { listCreateStatements, type ShardPlan, writer } from "./create-tables.ts";
import { createPostgresDatabase } from "./database.ts";
import { createPool, nameDatabase, type ServerPool } from "./pool.ts";
import { Seal, type SealKeys } from "./seal.ts";
import { findSeal, openSeal, type StoredSeal } from "./sealing.ts";
import { ServerList } from "./server-list.ts";
import { openServerRole, wallTables } from "./server-role.ts";
import { ServerSignals } from "./server-signals.ts";
import { watchServers } from "./server-watch.ts";

export { listCreateStatements, type ShardPlan } from "./create-tables.ts";
export { changeSeal, readSeal, replaceSealEnvelope, type SealChange, type StoredSeal } from "./sealing.ts";
export { readReplicaState } from "./server-watch.ts";

/** Opens the database at `url`, and creates or migrates its tables. */
export async function openPostgres(url: string, options: StoreOptions = {}): Promise<Store> {
  const servers = new ServerList(url);
  const upkeep = createPool(servers, { max: 2 });
  let role: string | undefined;
  let seal: SealKeys | undefined;
  let replica: WorkerStart["replica"];
  try {
    const migrated = await migrate(upkeep, options.database_role);
    role = migrated.role;
    seal = migrated.seal && (await openSeal(migrated.seal, options.openEnvelope));
    if (options.database_replica !== undefined)
      replica = { address: options.database_replica, of: await nameDatabase(upkeep) };
  } catch (error) {
    await upkeep.end();
    throw error;
  }
  const owners = createPool(servers, { max: 8, role });
  const audit = createPool(servers, { max: 4, role });
  const slow = options.slow_queries && watchSlow(options.slow_queries);
  const signals = new ServerSignals(servers, audit);
  const database = createPostgresDatabase(
    { owners, audit, upkeep },
    { role, slow, signals, seal: seal && new Seal(seal) },
  );
  const store = await createStore(database, { ...options, database_role: role, seal_state: seal?.state });
  const { workers = 0 } = options;
  const watched = {
    primary: servers,
    replica: replica && { servers: new ServerList(replica.address), of: replica.of },
  };
  const watch = workers > 0 ? watchServers({ ...watched, pools: [owners, audit, upkeep] }) : undefined;
  return poolReads(store, { engine: "postgres", address: url, replica, role, seal }, options, watch);
}

/** Creates the tables of an empty database, spread by owner; refuses one that has tables. */
export async function createSharded(url: string, plan: ShardPlan, role?: string): Promise<void> {
  const pool = createPool(url, { max: 1 });
  try {
    await migrate(pool, role, plan);
  } finally {
    await pool.end();
  }
}

/**
 * How long a migration waits for a lock on a table, at first and at most: everybody behind it waits too. Less than PostgreSQL's
 * `deadlock_timeout`, a second, after which it would end a request that reads two tables in another order.
 */
const LOCK_MS = { first: 100, most: 800 };
const LOCK_GROWTH = 1.25;
/**
 * The back-off between attempts as a multiple of the wait, during which servers of the former version continue, and the
 * number of attempts: eight minutes in all.
 */
const PAUSE = 9;
const TRIES = 65;
const LOCK_NOT_AVAILABLE = "55P03";

/** The parts of an opened database besides its tables. */
interface Migrated {
  /** The role for the server. */
  readonly role: string | undefined;
  readonly seal: StoredSeal | undefined;
}

/** Creates or migrates the tables while servers of the former version continue. */
async function migrate(pool: ServerPool, named: string | undefined, plan?: ShardPlan): Promise<Migrated> {
  let lock_ms = LOCK_MS.first;
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      return await migrateAtOnce(pool, { named, plan, lock_ms });
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      await sleep(lock_ms * PAUSE);
      lock_ms = Math.min(LOCK_MS.most, Math.round(lock_ms * LOCK_GROWTH));
    }
  }
  throw new ApiError("database_busy", {
    message: "Other programs have used the tables without a pause, so that they could not be migrated.",
    next: "Wait until a long backup, copy or export has ended, and start it again.",
  });
}

interface Migration {
  readonly named: string | undefined;
  readonly plan: ShardPlan | undefined;
  readonly lock_ms: number;
}

async function migrateAtOnce(pool: ServerPool, { named, plan, lock_ms }: Migration): Promise<Migrated> {
  const client = await pool.connectAny();
  try {
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock(771700)");
    await client.query(`SET LOCAL lock_timeout = ${lock_ms}`);
    await client.query("CREATE TABLE IF NOT EXISTS rungs_schema (version INT NOT NULL)");
    const found = await client.query<{ version: number }>("SELECT version FROM rungs_schema");
    const version = found.rows[0]?.version ?? 0;
    if (plan && version > 0) throw new ApiError("database_not_empty");
    if (version > SCHEMA_VERSION)
      throw new ApiError("database_newer", { database: version, program: SCHEMA_VERSION });
    if (version === 0) {
      for (const statement of listCreateStatements(plan)) await client.query(statement);
    } else if (version < SCHEMA_VERSION) {
      for (const statement of updateSchema(version, writer)) await client.query(statement);
      await client.query(`UPDATE rungs_schema SET version = ${SCHEMA_VERSION}`);
    }
    await wallTables(client);
    const role = await openServerRole(client, named);
    await client.query("CREATE TABLE IF NOT EXISTS rungs_seal (state TEXT NOT NULL, envelope TEXT NOT NULL)");
    const seal = await findSeal(client);
    await client.query("COMMIT");
    return { role, seal };
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
