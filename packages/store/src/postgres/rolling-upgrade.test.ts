/** A new version starts beside servers of the last one, which keep working with the migrated tables. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { requireQuery } from "@rungs/evidence";
import pg from "pg";
import { createPlace, type Place } from "../../../../testing/engines.ts";
import {
  createOwner,
  createTestGrant,
  EMITTED_AT,
  ingest,
  message,
  OWNER,
  refOf,
  scopeOver,
} from "../../../../testing/store/world.ts";
import { until } from "../../../../testing/until.ts";
import { SCHEMA_VERSION } from "../schema.ts";
import type { Store } from "../store.ts";
import { tables } from "../tables.ts";

const LAST = SCHEMA_VERSION - 1;

const SAMPLES = 60;
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'ALTER%'`;
const COLUMNS = `SELECT table_name AS table, column_name AS name, ordinal_position AS position, data_type AS type,
    is_nullable = 'YES' OR column_default IS NOT NULL AS may_be_left_out
  FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 3`;

interface Column {
  readonly table: string;
  readonly name: string;
  readonly position: number;
  readonly type: string;
  readonly may_be_left_out: boolean;
}

const describe = ({ table, name, position, type }: Column) => `${table}.${name} ${position} ${type}`;

/** The writes of the last version's servers, column by column in its column order. */
const LAST_WRITES = [
  "INSERT INTO owners VALUES (7, 'later', 1, 1, 1, 0, NULL, NULL, NULL, NULL)",
  "INSERT INTO tokens VALUES (7, 'digest', 'owner', 'owner', '[]', '2026-01-01T00:00:00Z', NULL, NULL, NULL)",
  "INSERT INTO state SELECT * FROM unnest('{7}'::bigint[], '{k}'::text[], '{i}'::text[], '{NULL}'::text[], '{1}'::text[], '{NULL}'::bigint[])",
  "UPDATE owners SET next_doc = next_doc + 1 WHERE owner = 7",
];

/** A database created by the last version. */
async function createLast(place: Place): Promise<pg.Client> {
  const client = await connect(place);
  const schema = new URL(`../suite/schemas/${LAST}.postgres.sql`, import.meta.url);
  await client.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${readFileSync(schema, "utf8")}`);
  return client;
}

async function connect({ address }: Place): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  return client;
}

test("a migration never waits long for a lock, and servers of the last version write to the new tables", async (t) => {
  const place = await createPlace("postgres");
  const server = await createLast(place);
  const [reader, watcher] = [await connect(place), await connect(place)];
  let opening: Promise<Store> | undefined;
  t.after(async () => {
    for (const client of [reader, server, watcher]) await client.end();
    await (await opening)?.close();
    await place.remove();
  });
  // A long read, such as an export or a backup of a server of the last version.
  await reader.query("BEGIN");
  await reader.query("SELECT * FROM owners");
  let isOpen = false;
  opening = place.open().then((store) => {
    isOpen = true;
    return store;
  });
  const isWaiting = async () => (await watcher.query(WAITING)).rowCount !== 0;
  await until(isWaiting);
  // Others queue behind the migration, which gives up and retries with back-off.
  await server.query(LAST_WRITES[0] as string);
  let waiting = 0;
  for (let at = 0; at < SAMPLES; at += 1) {
    if (await isWaiting()) waiting += 1;
    await delay(20);
  }
  assert.ok(waiting < SAMPLES / 2, `others had to wait at ${waiting} of ${SAMPLES} times`);
  assert.equal(isOpen, false);
  await reader.query("COMMIT");
  const store = await opening;
  for (const statement of LAST_WRITES.slice(1)) assert.equal((await server.query(statement)).rowCount, 1);
  assert.deepEqual(await store.listOwners(), ["later"]);
  assert.equal((await store.findToken("digest"))?.owner_id, "later");
  assert.equal((await store.getState("later", "k", "i"))?.value, 1);
});

test("a migration leaves every column of the last version in its place, and rows may be written without the new ones", async (t) => {
  const place = await createPlace("postgres");
  t.after(() => place.remove());
  const client = await createLast(place);
  t.after(() => client.end());
  const list = async () => (await client.query<Column>(COLUMNS)).rows;
  const former = await list();
  await (await place.open()).close();
  const columns = await list();
  const isFormer = ({ table, name }: Column) =>
    former.some((column) => column.table === table && column.name === name);
  assert.ok(former.length > 100);
  assert.deepEqual(columns.filter(isFormer).map(describe), former.map(describe));
  const tablesBefore = new Set(former.map(({ table }) => table));
  for (const column of columns.filter((each) => !isFormer(each) && tablesBefore.has(each.table)))
    assert.ok(column.may_be_left_out, describe(column));
});

test("running servers survive a migration that adds a column to every table", async (t) => {
  const place = await createPlace("postgres");
  const store = await place.open();
  t.after(async () => {
    await store.close();
    await place.remove();
  });
  await createOwner(store);
  await useTables(store, "a");
  const client = await connect(place);
  t.after(() => client.end());
  for (const table of Object.keys(tables)) await client.query(`ALTER TABLE ${table} ADD COLUMN later TEXT`);
  // PostgreSQL refuses prepared statements whose result type changed.
  await useTables(store, "b");
});

test("a program refuses a database of a newer one, and changes nothing in it", async (t) => {
  const place = await createPlace("postgres");
  t.after(() => place.remove());
  await (await place.open()).close();
  const client = new pg.Client({ connectionString: place.address });
  await client.connect();
  t.after(() => client.end());
  await client.query("UPDATE rungs_schema SET version = version + 1");
  await assert.rejects(place.open(), { code: "database_newer" });
  const { rows } = await client.query("UPDATE rungs_schema SET version = version - 1 RETURNING version");
  assert.deepEqual(rows, [{ version: SCHEMA_VERSION }]);
});

/** Reads and writes tables of every kind, always with the same statements. */
async function useTables(store: Store, name: string): Promise<void> {
  const sync = {
    connection_id: "mail",
    kind: "imap",
    settings: {},
    schedule: { kind: "every", minutes: 15 },
  } as const;
  const lease = { sync_id: name, holder: "h" };
  await ingest(store, [message(name, { subject: `word ${name}`, body: "long ".repeat(2_000) })]);
  await store.putGrant(OWNER, createTestGrant(name));
  await store.putToken({
    digest: name,
    owner_id: OWNER,
    kind: "owner",
    client_id: "o",
    grant_ids: [],
    created_at: EMITTED_AT,
  });
  await store.putState(OWNER, { kind: "k", id: name, value: 1 });
  await store.addSync(OWNER, { ...sync, sync_id: name, keeps_deleted: false });
  await store.changeSync(OWNER, name, { due_ms: 1 });
  await store.leaseSync(OWNER, lease, Date.now() + 60_000);
  await store.writeSync(OWNER, lease, {
    connection_id: "mail",
    records: [],
    items: [{ collection: "c", item: name, stream: "messages", record_id: name, others: [], state: {} }],
    removed: [],
    cursors: [{ collection: "c", cursor: name }],
  });
  const reads: (() => Promise<unknown>)[] = [
    () => store.listSyncs(OWNER),
    () => store.listSyncCursors(OWNER, name),
    () => store.listSyncItems(OWNER, name, { collection: "c", after: "", limit: 5 }),
    () => store.listSyncRuns(OWNER, name, 5),
    () => store.listGrants(OWNER),
    () => store.listTokens(OWNER),
    () => store.findToken(name),
    () => store.getState(OWNER, "k", name),
    () => store.listOwners(),
    () => store.listConnections(OWNER),
    () => store.listExclusions(OWNER),
    () => store.describeStreams(scopeOver()),
    () => store.search(scopeOver(), { query: requireQuery("word"), limit: 5 }),
    () => store.getRecord(scopeOver(), refOf(name)),
    () => store.readField(scopeOver(), refOf(name), "body", { start: 0, end: 50 }),
    () =>
      store.listRecords(scopeOver(), { connection_id: "mail", stream: "messages", order: "asc", limit: 5 }),
    () => store.check(OWNER),
  ];
  // Sequentially, so that the same connection prepares them.
  for (const read of reads) await read();
}
