/** Wrong servers at a replica's address, and servers that a pooler swaps behind a connection (R130). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { type OwnServer, startOwnPostgres, startReplica } from "../../../../testing/postgres.ts";
import {
  createOwner,
  ingest,
  message,
  OWNER,
  putClientToken,
  refOf,
  scopeOver,
} from "../../../../testing/store/world.ts";
import { until } from "../../../../testing/until.ts";
import type { Sql } from "../database.ts";
import type { Store } from "../store.ts";
import { openPostgres, readReplicaState } from "./open.ts";
import { openPostgresReader } from "./open-reader.ts";
import { createPool, nameDatabase } from "./pool.ts";

const TOKEN = "digest of a token";

let primary: OwnServer;
let replica: OwnServer;

before(async () => {
  primary = await startOwnPostgres();
  replica = await startReplica(primary);
});
after(async () => {
  await replica?.stop();
  await primary?.stop();
});

/** A database of a server with one record, "a", and a token of its owner. */
async function fill(url: string, body: string, replica_url?: string): Promise<Store> {
  const store = await openPostgres(url, { workers: 1, database_replica: replica_url });
  await createOwner(store);
  await putClientToken(store, TOKEN);
  await ingest(store, [message("a", { body })]);
  return store;
}

async function readAsCaller(store: Store): Promise<unknown> {
  const { write_version } = (await store.findAccess(TOKEN)) ?? {};
  assert.ok(write_version);
  const caller = store.forCaller({ lane: "agent", signal: new AbortController().signal, write_version });
  return (await caller.getRecord(scopeOver(), refOf("a")))?.data.body;
}

/** The same server, another database. */
function named(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}

async function createDatabase(name: string): Promise<string> {
  const admin = new pg.Client(primary.url);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  return named(primary.url, name);
}

test("R130 never reads from a replica of another database, however new its rows are", async (t) => {
  const own_url = await createDatabase("own");
  const wrong = named(replica.url, "foreign_one");
  const own = await fill(own_url, "own heron", wrong);
  t.after(() => own.close());
  const foreign = await fill(await createDatabase("foreign_one"), "foreign heron");
  await foreign.close();
  await until(() => own.replica?.state !== "unreachable" || own.replica.lag_ms !== undefined);
  for (let round = 0; round < 5; round += 1) assert.equal(await readAsCaller(own), "own heron");
  assert.deepEqual([own.replica?.state, own.replica?.reads], ["foreign", 0]);
  assert.equal((await readReplicaState(own_url, wrong)).state, "foreign");
  const right = await readReplicaState(own_url, named(replica.url, "own"));
  assert.equal(right.state, "used");
});

test("R130 never reads from a connection that a pooler moved to an older replica", async (t) => {
  const url = await createDatabase("pooled");
  const own = await fill(url, "a heron");
  t.after(() => own.close());
  const { write_version } = (await own.findAccess(TOKEN)) ?? {};
  const pool = createPool(url, { max: 1 });
  t.after(() => pool.end());
  // One server stands in for two replicas: its rows go back in time.
  const reader = openPostgresReader(url, {
    role: own.database_role,
    statement_ms: 10_000,
    replica_of: await nameDatabase(pool),
  });
  t.after(() => reader.database.close());
  reader.require(write_version);
  const owner = (await reader.database.findOwner(OWNER)) ?? 0;
  const count = (sql: Sql) =>
    sql.all<{ n: number }>("SELECT count(*) AS n FROM records WHERE owner = $1", [owner]);
  const reads = {
    snapshot: () => reader.database.read(owner, count),
    peek: () => reader.database.peek(owner, count),
  };
  for (const read of Object.values(reads)) assert.deepEqual(await read(), [{ n: 1 }]);
  await pool.query("UPDATE owners SET write_version = write_version - 1 WHERE owner = $1", [owner]);
  for (const [name, read] of Object.entries(reads)) await assert.rejects(read, name);
});

test("R130 never reads from a replica of another server", async (t) => {
  const elsewhere = await startOwnPostgres();
  t.after(() => elsewhere.stop());
  const itsReplica = await startReplica(elsewhere);
  t.after(() => itsReplica.stop());
  const own = await fill(await createDatabase("third"), "own heron", itsReplica.url);
  t.after(() => own.close());
  const foreign = await fill(elsewhere.url, "foreign heron");
  await foreign.close();
  await until(() => own.replica?.state === "foreign");
  assert.equal(await readAsCaller(own), "own heron");
});
