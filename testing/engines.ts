/** The engines that tests run on, with a fresh store for every test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Store, StoreOptions } from "@rungs/store";
import { openPostgres } from "@rungs/store/postgres";
import { openSqlite } from "@rungs/store/sqlite";
import pg from "pg";
import { createTestDatabase } from "./postgres.ts";

/** An empty database that a test may open, close and open again. */
export interface Place {
  readonly engine: "sqlite" | "postgres";
  /** The file, or the server's URL. */
  readonly address: string;
  open(options?: StoreOptions): Promise<Store>;
  remove(): Promise<void>;
}

export interface EngineTest {
  readonly store: Store;
  readonly place: Place;
  /** For subtests that share an expensive fixture. */
  readonly context: TestContext;
}

/**
 * Databases that earlier tests released, since reuse is much faster than creation: without tables, and with the store's
 * tables, empty.
 */
const released = { bare: [] as TestDatabase[], ready: [] as TestDatabase[] };

type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

const DROP_TABLES = "DROP SCHEMA public CASCADE; CREATE SCHEMA public";
/**
 * Leaves the tables without rows but the program's own, and without statistics. To truncate a table makes new files for it and its indexes, so one
 * that PostgreSQL plans for as if it was new is emptied by row: never analyzed, and no longer than the ten pages that it assumes.
 */
const EMPTY_TABLES = `DO $$
DECLARE
  emptied regclass;
  long regclass[] := ARRAY(SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
    AND relname <> 'rungs_schema' AND pg_relation_size(oid) > 0
    AND (reltuples >= 0 OR pg_relation_size(oid) > 10 * 8192 OR pg_table_size(oid) > 30 * 8192));
BEGIN
  IF long <> '{}' THEN
    EXECUTE 'TRUNCATE ' || array_to_string(long, ', ');
    DELETE FROM pg_statistic WHERE starelid = ANY(long);
  END IF;
  FOR emptied IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
    AND relname <> 'rungs_schema' AND pg_relation_size(oid) > 0 LOOP
    EXECUTE 'DELETE FROM ' || emptied;
  END LOOP;
  IF to_regclass('public.owners') IS NOT NULL THEN
    INSERT INTO owners (owner, owner_id, next_doc, next_seq, next_run, changes_floor)
      VALUES (0, '', 1, 1, 1, 0) ON CONFLICT DO NOTHING;
  END IF;
END $$`;

async function execute(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}

/** Makes an empty SQLite file; with a key, it is encrypted. */
export function createFilePlace(key?: Uint8Array): Place {
  const folder = mkdtempSync(join(tmpdir(), "rungs-store-"));
  const address = join(folder, "rungs.db");
  return {
    engine: "sqlite",
    address,
    open: (options) => openSqlite(address, { key, ...options }),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Makes an empty database, by engine. */
export const engines: Readonly<Record<Place["engine"], () => Promise<Place>>> = {
  async sqlite() {
    return createFilePlace();
  },
  async postgres() {
    const database = released.bare.pop() ?? (await createTestDatabase());
    return createDatabasePlace(database);
  },
};

function createDatabasePlace(database: TestDatabase): Place {
  // A test that asked for the address may have changed more than rows.
  let isOpenedOnly = true;
  return {
    engine: "postgres",
    get address() {
      isOpenedOnly = false;
      return database.url;
    },
    open: (options) => openPostgres(database.url, options),
    async remove() {
      await execute(database.url, isOpenedOnly ? EMPTY_TABLES : DROP_TABLES);
      (isOpenedOnly ? released.ready : released.bare).push(database);
    },
  };
}

/** Makes a database that may have the tables of a store. */
export function createPlace(engine: Place["engine"]): Promise<Place> | Place {
  const ready = engine === "postgres" ? released.ready.pop() : undefined;
  return ready ? createDatabasePlace(ready) : engines[engine]();
}

/** A store on a database that no other test uses. */
export interface TestStore {
  readonly store: Store;
  /** Opens the same database again, as another server does; closed with the first. */
  openAnother(): Promise<Store>;
  close(): Promise<void>;
}

/** Opens a store on an empty database of this engine; `close` removes the database too. */
export async function openTestStore(engine: string, options?: StoreOptions): Promise<TestStore> {
  const place = await createPlace(engine as Place["engine"]);
  const stores = [await place.open(options)];
  return {
    store: stores[0] as Store,
    async openAnother() {
      const store = await place.open(options);
      stores.push(store);
      return store;
    },
    async close() {
      for (const store of stores) await store.close();
      await place.remove();
    },
  };
}

/** Registers one test per engine, each with a new store that is closed and removed afterwards. */
export function testOnEachEngine(
  title: string,
  work: (test: EngineTest) => Promise<void>,
  options?: StoreOptions,
): void {
  for (const engine of Object.keys(engines) as Place["engine"][]) {
    test(`${title} (${engine})`, (context) =>
      withStore(engine, (store, place) => work({ store, place, context }), options));
  }
}

async function withStore(
  engine: Place["engine"],
  work: (store: Store, place: Place) => Promise<void>,
  options?: StoreOptions,
): Promise<void> {
  const place = await createPlace(engine);
  try {
    const store = await place.open(options);
    try {
      await work(store, place);
    } finally {
      await store.close();
    }
  } finally {
    await place.remove();
  }
}
