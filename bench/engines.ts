import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { requireManifest } from "@rungs/contract";
import type { Store } from "@rungs/store";
import { openPostgres } from "@rungs/store/postgres";
import { openSqlite } from "@rungs/store/sqlite";
import pg from "pg";
import { createTestDatabase } from "../testing/postgres.ts";
import { benchManifest } from "./corpus.ts";

export const OWNER = "bench";
export const CONNECTION = "bench";

/** A store with the benchmark's connection, and access to the database under it. */
export interface Engine {
  readonly name: "SQLite" | "PostgreSQL";
  readonly store: Store;
  /** The SQLite file, or the PostgreSQL address. */
  readonly place: string;
  close(): Promise<void>;
}

export async function openEngines(): Promise<Engine[]> {
  return [await openSqliteEngine(), await openPostgresEngine()];
}

/** How a store of a benchmark is opened: `embedder: null` without vectors. */
type EngineOptions = Parameters<typeof openSqlite>[1];

export async function openSqliteEngine(options: EngineOptions = {}): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-bench-"));
  const place = join(folder, "rungs.db");
  const store = await prepare(await openSqlite(place, options));
  return {
    name: "SQLite",
    store,
    place,
    async close() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A store in a file that persists between runs, and whether it is new. */
export async function openKeptEngine(place: string): Promise<Engine & { readonly isNew: boolean }> {
  const isNew = !existsSync(place);
  mkdirSync(dirname(place), { recursive: true });
  const opened = await openSqlite(place);
  const store = isNew ? await prepare(opened) : opened;
  return { name: "SQLite", store, place, isNew, close: () => store.close() };
}

export async function openPostgresEngine(options: EngineOptions = {}): Promise<Engine> {
  const database = await createTestDatabase();
  const store = await prepare(await openPostgres(database.url, options));
  return {
    name: "PostgreSQL",
    store,
    place: database.url,
    async close() {
      await store.close();
      await database.drop();
    },
  };
}

/** A store in a database that persists between runs; `url` names the server, and another database on it. */
export async function openKeptPostgres(url: string, name: string): Promise<Engine> {
  const client = await connectPostgres(url);
  const found = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
  if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  await client.end();
  const place = new URL(url);
  place.pathname = `/${name}`;
  const store = await openPostgres(place.href);
  return { name: "PostgreSQL", store, place: place.href, close: () => store.close() };
}

/** Gives an owner the benchmark's connection. */
export async function prepare(store: Store, owner_id = OWNER): Promise<Store> {
  const manifest = requireManifest(benchManifest);
  await store.putOwner(owner_id);
  await store.putManifest(owner_id, manifest);
  await store.putConnection(owner_id, {
    connection_id: CONNECTION,
    source_id: manifest.source.id,
    declaration_version: manifest.declaration_version,
    display_name: "Bench",
  });
  return store;
}

/** A client for the naive implementation on PostgreSQL. */
export async function connectPostgres(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** The bytes of the whole database. */
export async function measureDisk({ name, place }: Engine): Promise<number> {
  if (name === "SQLite") return statSync(place).size;
  const client = await connectPostgres(place);
  const { rows } = await client.query("SELECT pg_database_size(current_database()) AS bytes");
  await client.end();
  return Number(rows[0].bytes);
}

/** The scope that covers the whole stream of the benchmark. */
export const benchScope = {
  owner_id: OWNER,
  streams: [{ connection_id: CONNECTION, stream: "messages", fields: ["id", "subject", "body", "sent_at"] }],
};
