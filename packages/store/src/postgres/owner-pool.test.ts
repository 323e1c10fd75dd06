/** The effect of one owner's transactions on others' (R57). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { engines, type Place } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, refOf, scopeOver } from "../../../../testing/store/world.ts";
import { until } from "../../../../testing/until.ts";
import type { Store } from "../store.ts";
import { createPostgresDatabase } from "./database.ts";
import { OwnerPool, type TransactionSettings } from "./owner-pool.ts";
import { createPool } from "./pool.ts";

const [ADA, BEN] = ["ada", "ben"];
const LOCKS = 771_701;

let place: Place;
let store: Store;
/** A frozen program that holds locks. */
let frozen: pg.Client;

before(async () => {
  place = await engines.postgres();
  store = await place.open();
  for (const owner_id of [ADA, BEN]) await createOwner(store, { owner_id });
  frozen = new pg.Client({ connectionString: place.address });
  await frozen.connect();
});
after(async () => {
  await frozen?.end();
  await store?.close();
  await place?.remove();
});

/** How many transactions wait for what the frozen program holds. */
async function countWaiting(): Promise<number> {
  const { rows } = await frozen.query<{ n: string }>(
    "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return Number(rows[0]?.n);
}

/** Asserts that work is not blocked by the frozen program. */
async function unheld<T>(work: Promise<T>): Promise<T> {
  const waited = new AbortController();
  const late = delay(5_000, undefined, { signal: waited.signal }).then(() => assert.fail("it is held up"));
  return Promise.race([work, late]).finally(() => waited.abort());
}

test("R57 an owner whose writes wait for a lock leaves connections to the reads and writes of others", async () => {
  await frozen.query("BEGIN");
  await frozen.query("UPDATE owners SET owner_id = owner_id WHERE owner_id = $1", [ADA]);
  const waiting = Array.from({ length: 20 }, (_, at) =>
    ingest(store, [message(`m${at}`, { body: "a heron" })], { owner_id: ADA }),
  );
  try {
    await until(async () => (await countWaiting()) > 0);
    assert.equal(await unheld(store.findAccess("the digest of no token")), undefined);
    await unheld(ingest(store, [message("b", { body: "a heron" })], { owner_id: BEN }));
    assert.ok(await store.getRecord(scopeOver("messages", {}, BEN), refOf("b")));
  } finally {
    await frozen.query("ROLLBACK");
  }
  await Promise.all(waiting);
  assert.ok(await store.getRecord(scopeOver("messages", {}, ADA), refOf("m19")));
});

test("R57 a lock on one owner's shared values does not block those of others", async () => {
  const names = ["one", "two", "three", "four", "five"];
  const { rows } = await frozen.query("SELECT owner FROM owners WHERE owner_id = $1", [ADA]);
  await frozen.query("BEGIN");
  for (const name of names)
    await frozen.query("SELECT pg_advisory_xact_lock($1::int, hashtext($2))", [
      LOCKS,
      `${rows[0].owner} ${name}`,
    ]);
  const change = (owner_id: string, name: string) =>
    store.changeShared(owner_id, name, () => ({ value: 1, kept_ms: 1_000, result: owner_id }));
  const waiting = names.map((name) => change(ADA, name));
  try {
    await until(async () => (await countWaiting()) > 0);
    assert.equal(await unheld(change(BEN, "one")), BEN);
  } finally {
    await frozen.query("ROLLBACK");
  }
  assert.deepEqual(await Promise.all(waiting), Array(names.length).fill(ADA));
});

test("R57 a server that stops inside a transaction on shared values loses its locks", async () => {
  const pools = ["owners", "audit", "upkeep"].map(() => createPool(place.address, { max: 1 }));
  const [owners, audit, upkeep] = pools as [(typeof pools)[0], (typeof pools)[0], (typeof pools)[0]];
  let limit: Promise<string | undefined> | undefined;
  audit.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query(input: pg.QueryConfig | string, ...rest: unknown[]) {
        const answer = query(input, ...rest);
        if (typeof input === "object" && input.text.includes("pg_advisory_xact_lock"))
          limit = (query("SHOW idle_in_transaction_session_timeout") as Promise<pg.QueryResult>).then(
            ({ rows }) => rows[0]?.idle_in_transaction_session_timeout,
          );
        return answer;
      },
    });
  });
  const database = createPostgresDatabase({ owners, audit, upkeep });
  try {
    const owner = (await database.findOwner(ADA)) ?? -1;
    await database.changeShared(owner, "a", Date.now(), () => ({ value: 1, kept_ms: 1, result: 1 }));
    assert.equal(await limit, "10s");
  } finally {
    await database.close();
  }
  const pool = createPool(place.address, { max: 1 });
  const traffic = { statements: 0, rows: 0, bytes: 0 };
  const stopped = new OwnerPool(pool, traffic, { idle_in_transaction_session_timeout: 20 });
  try {
    const silent = stopped.change("everyone", async (sql) => {
      await sql.all("SELECT 1");
      await delay(200);
    });
    await assert.rejects(silent, /terminat|connection error/);
  } finally {
    await stopped.end();
  }
});

test("R120 a transaction that cannot begin runs no statement of its work", async () => {
  const pool = createPool(place.address, { max: 1 });
  const traffic = { statements: 0, rows: 0, bytes: 0 };
  // PostgreSQL runs nothing of an unparseable message, not even its BEGIN.
  const broken = new OwnerPool(pool, traffic, { "of no statement": 1 } as TransactionSettings);
  try {
    await frozen.query("CREATE TABLE written (at INT)");
    const writing = broken.change("everyone", async (sql) => {
      await sql.run("SELECT 1");
      await sql.run("INSERT INTO written VALUES (1)");
    });
    await assert.rejects(writing, /syntax error/);
    assert.deepEqual((await frozen.query("SELECT * FROM written")).rows, []);
  } finally {
    await broken.end();
  }
});
