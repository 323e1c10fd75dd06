/** Reads on a streaming replica: never older than what was committed when their caller was authorized (R130). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { startProxy, type TcpProxy } from "../../../../testing/network/tcp-proxy.ts";
import { type OwnServer, startOwnPostgres, startReplica } from "../../../../testing/postgres.ts";
import { createManifest } from "../../../../testing/store/manifests.ts";
import {
  createOwner,
  ingest,
  message,
  OWNER,
  putClientToken,
  putConnection,
  refOf,
  scopeOver,
} from "../../../../testing/store/world.ts";
import { until } from "../../../../testing/until.ts";
import type { Caller, Store } from "../store.ts";
import { openPostgres, readReplicaState } from "./open.ts";
import { createPool, nameDatabase } from "./pool.ts";

const TOKEN = "digest of a token";
const TIME = "2026-01-01T00:00:00Z";

let primary: OwnServer;
let address: string;
let replica: OwnServer;
/** The network before the replica. */
let network: TcpProxy;
let store: Store;
/** The state in `rungs status`. */
const readState = () => readReplicaState(address, replica.url);
/** Asks the replica itself. */
let onReplica: pg.Client;

before(async () => {
  primary = await startOwnPostgres();
  replica = await startReplica(primary);
  network = await startProxy(() => replica.socket);
  // Lists the replica first: an unsuitable server is skipped.
  const both = new URL(primary.url);
  both.searchParams.set("host", [replica, primary].map(({ folder }) => folder).join(","));
  address = both.href;
  store = await openPostgres(address, { workers: 1, database_replica: network.address });
  await createOwner(store);
  await putClientToken(store, TOKEN);
  await ingest(store, [message("a", { body: "the first heron" })]);
  onReplica = new pg.Client(replica.url);
  onReplica.on("error", () => undefined);
  await onReplica.connect();
  await until(() => store.replica?.state === "used");
});
after(async () => {
  await onReplica?.end();
  await store?.close();
  await network?.close();
  await replica?.stop();
  await primary?.stop();
});

/** The store as seen by a request under the token. */
async function asCaller(): Promise<Store> {
  const access = await store.findAccess(TOKEN);
  assert.ok(access?.write_version);
  const { write_version } = access;
  return store.forCaller({ lane: "agent", signal: new AbortController().signal, write_version });
}

/** Which server answers a read, and what it finds. */
async function readBody(caller: Store, record_id = "a"): Promise<string> {
  const { reads = 0 } = store.replica ?? {};
  const found = await caller.getRecord(scopeOver(), refOf(record_id));
  const server = (store.replica?.reads ?? 0) > reads ? "replica" : "primary";
  return `${server}: ${found?.data.body}`;
}

/** Waits until the replica has caught up. */
async function catchUp(): Promise<void> {
  await until(async () => (await readBody(await asCaller())).startsWith("replica"));
}

test("R130 a read goes to the replica, which has what was committed before the caller was authorized", async () => {
  await catchUp();
  for (let round = 0; round < 5; round += 1) {
    await ingest(store, [message("a", { body: `heron ${round}` })]);
    assert.match(await readBody(await asCaller()), new RegExp(`^(?:replica|primary): heron ${round}$`));
  }
});

test("R130 while the replica lags, the primary answers callers who must see more, and each caller stays there", async () => {
  await ingest(store, [message("a", { body: "before" })]);
  await catchUp();
  const earlier = await asCaller();
  await onReplica.query("SELECT pg_wal_replay_pause()");
  try {
    await ingest(store, [message("a", { body: "after" })]);
    const sent_on = store.replica?.sent_on ?? 0;
    const later = await asCaller();
    assert.equal(await readBody(later), "primary: after");
    assert.equal(store.replica?.sent_on, sent_on + 1);
    assert.equal(await readBody(earlier), "replica: before");
    await onReplica.query("SELECT pg_wal_replay_resume()");
    await catchUp();
    // Nothing else would distinguish this from an older state that the caller saw at the primary.
    assert.equal(await readBody(later), "primary: after");
    assert.equal(await readBody(await asCaller()), "replica: after");
  } finally {
    await onReplica.query("SELECT pg_wal_replay_resume()");
  }
});

test("R130 an open stream sees at least as much as a request that begins meanwhile", async () => {
  await ingest(store, [message("a", { body: "before" })]);
  await catchUp();
  const { write_version } = (await store.findAccess(TOKEN)) ?? {};
  const reader: Caller = { lane: "agent", signal: new AbortController().signal, write_version };
  const stream = store.forCaller(reader);
  await onReplica.query("SELECT pg_wal_replay_pause()");
  try {
    assert.equal(await readBody(stream), "replica: before");
    await ingest(store, [message("a", { body: "after" })]);
    reader.write_version = (await store.findAccess(TOKEN))?.write_version;
    assert.equal(await readBody(stream), "primary: after");
  } finally {
    await onReplica.query("SELECT pg_wal_replay_resume()");
  }
});

test("R130 every write increments the version, including changes to the owner's rules and grants", async () => {
  const version = async () => (await store.findAccess(TOKEN))?.write_version ?? 0;
  const writes: Readonly<Record<string, () => Promise<unknown>>> = {
    ingest: () => ingest(store, [message("b", { body: "b" })]),
    deletion: () => store.deleteRecord(OWNER, "mail", "messages", "b"),
    connection: () => putConnection(store, { display_name: "Renamed" }),
    manifest: () => store.putManifest(OWNER, createManifest("2")),
    exclusion: () =>
      store.putExclusion(OWNER, { rule_id: "r", created_at: TIME, hides: { kind: "person", person: "ada" } }),
    revocation: () => store.revokeToken(OWNER, "another", TIME),
  };
  for (const [name, write] of Object.entries(writes)) {
    const former = await version();
    await write();
    assert.ok((await version()) > former, name);
  }
  await store.deleteExclusion(OWNER, "r");
});

test("R130 a read that the replica cancels because of a replay conflict is retried at the primary", async (t) => {
  await onReplica.query("ALTER SYSTEM SET max_standby_streaming_delay = 0");
  await onReplica.query("SELECT pg_reload_conf()");
  const [first, second] = [new pg.Client(primary.url), new pg.Client(primary.url)];
  t.after(() => Promise.all([first.end(), second.end()]));
  await Promise.all([first.connect(), second.connect()]);
  const countOnReplica = async (query: string) => Number((await onReplica.query(query)).rows[0].count);
  const countLocks = (which: string) =>
    countOnReplica(`SELECT count(*) FROM pg_locks WHERE relation = 'records'::regclass AND ${which}`);
  await catchUp();
  const caller = await asCaller();
  // The replica replays one lock, which makes the read wait, and another on a table that it has read.
  await first.query("BEGIN; LOCK TABLE records IN ACCESS EXCLUSIVE MODE");
  await store.revokeToken(OWNER, "another", TIME);
  await until(async () => (await countLocks("mode = 'AccessExclusiveLock'")) === 1);
  const reading = readBody(caller);
  await until(async () => (await countLocks("NOT granted")) > 0);
  await second.query("BEGIN; LOCK TABLE parts IN ACCESS EXCLUSIVE MODE");
  await store.revokeToken(OWNER, "another", TIME);
  const conflicts = "SELECT sum(confl_lock) AS count FROM pg_stat_database_conflicts";
  await until(async () => (await countOnReplica(conflicts)) > 0);
  await Promise.all([first.query("ROLLBACK"), second.query("ROLLBACK")]);
  assert.equal(await reading, "primary: after");
});

test("R120 the replica, too, shows the server no row before it knows the owner", async () => {
  const named = createPool(address, { max: 1 });
  const pool = createPool(replica.url, {
    max: 1,
    role: store.database_role,
    replica_of: await nameDatabase(named),
  });
  try {
    const { rows } = await pool.query("SELECT count(*) AS count FROM records");
    assert.deepEqual(rows, [{ count: 0 }]);
  } finally {
    await Promise.all([named.end(), pool.end()]);
  }
});

test("R130 a read that waits for a silent replica is retried at the primary", async () => {
  await catchUp();
  const caller = await asCaller();
  network.stall();
  assert.match(await readBody(caller), /^primary: /);
  assert.equal(store.replica?.state, "unreachable");
  network.allow();
  await until(() => store.replica?.state === "used");
});

test("R130 an unreachable replica is skipped, and used again when it is back", async () => {
  await catchUp();
  await replica.kill();
  // A process of the replica may answer once more.
  assert.match(await readBody(await asCaller()), /: after$/);
  await until(() => store.replica?.state === "unreachable");
  assert.deepEqual(await readState(), { state: "unreachable", lag_ms: undefined });
  assert.match(await readBody(await asCaller()), /^primary: /);
  await replica.restart();
  await until(() => store.replica?.state === "used");
  await catchUp();
  assert.equal((await readState()).state, "used");
});

test("R131 when the primary is lost, reads and writes fail, and continue at the promoted replica", async () => {
  await catchUp();
  await primary.kill();
  const write = (body: string) => ingest(store, [message("a", { body })]);
  await until(() =>
    write("lost").then(
      () => false,
      () => true,
    ),
  );
  await replica.promote();
  await until(() =>
    write("kept").then(
      () => true,
      () => false,
    ),
  );
  assert.match(await readBody(await asCaller()), /: kept$/);
  assert.equal((await store.getRecord(scopeOver(), refOf("a")))?.data.body, "kept");
  await until(() => store.replica?.state === "promoted");
  assert.equal((await readState()).state, "promoted");
});
