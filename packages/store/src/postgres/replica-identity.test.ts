/** What an address of a replica may turn out to be, and what a pooler may put behind a connection (R130). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { type OwnServer, startOwnPostgres, startReplica } from "../../../../testing/postgres.ts";
import { createOwner, ingest, message, OWNER, refOf, scopeOver } from "../../../../testing/store/world.ts";
import { until } from "../../../../testing/until.ts";
import type { Store } from "../store.ts";
import { openPostgres, readReplicaState } from "./open.ts";

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
  await store.putToken({
    digest: TOKEN,
    owner_id: OWNER,
    kind: "client",
    client_id: "agent",
    grant_ids: [],
    created_at: "2026-01-01T00:00:00Z",
  });
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

test("R130 a replica of another database is never read from, however new its rows are", async (t) => {
  const admin = new pg.Client(primary.url);
  await admin.connect();
  await admin.query("CREATE DATABASE own");
  await admin.query("CREATE DATABASE foreign_one");
  t.after(() => admin.end());
  const wrong = named(replica.url, "foreign_one");
  const own = await fill(named(primary.url, "own"), "own heron", wrong);
  t.after(() => own.close());
  const foreign = await fill(named(primary.url, "foreign_one"), "foreign heron");
  await foreign.close();
  await until(() => own.replica?.state !== "unreachable" || own.replica.lag_ms !== undefined);
  for (let round = 0; round < 5; round += 1) assert.equal(await readAsCaller(own), "own heron");
  assert.deepEqual([own.replica?.state, own.replica?.reads], ["foreign", 0]);
  assert.equal((await readReplicaState(named(primary.url, "own"), wrong)).state, "foreign");
  const right = await readReplicaState(named(primary.url, "own"), named(replica.url, "own"));
  assert.equal(right.state, "used");
});

test("R130 a replica of another server is never read from", async (t) => {
  const elsewhere = await startOwnPostgres();
  t.after(() => elsewhere.stop());
  const itsReplica = await startReplica(elsewhere);
  t.after(() => itsReplica.stop());
  const own = await fill(primary.url, "own heron", itsReplica.url);
  t.after(() => own.close());
  const foreign = await fill(elsewhere.url, "foreign heron");
  await foreign.close();
  await until(() => own.replica?.state === "foreign");
  assert.equal(await readAsCaller(own), "own heron");
});
