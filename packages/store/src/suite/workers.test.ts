/**
 * Reads in worker threads: the same answers, off the event loop, and cancelled when their caller disconnects (R56,
 * R57).
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { requireQuery } from "@rungs/evidence";
import pg from "pg";
import { engines, type Place, testOnEachEngine } from "../../../../testing/engines.ts";
import { createGate, WAIT } from "../../../../testing/store/gate.ts";
import { createOwner, ingest, message, OWNER, refOf, scopeOver } from "../../../../testing/store/world.ts";
import { until } from "../../../../testing/until.ts";
import type { Store, StoreOptions } from "../store.ts";
import { LaneQueue } from "../workers/lane-queue.ts";
import { assertRefused } from "./refusals.ts";

const WORKERS = { workers: 2 } as const;
const SEARCH = { query: requireQuery("heron"), limit: 10 };
const NOBODY = { lane: "nobody", signal: new AbortController().signal };

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function search(store: Store, q: string) {
  return store.search(scopeOver(), { query: requireQuery(q), limit: 10 });
}

/** A store with workers and one record, closed after the test. */
async function openWith(t: TestContext, create: () => Promise<Place>, options: StoreOptions): Promise<Store> {
  const place = await create();
  const store = await place.open({ ...WORKERS, ...options });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await store.close();
    isOpen = false;
  };
  t.after(async () => {
    await close();
    await place.remove();
  });
  await createOwner(store);
  await ingest(store, [message("a", { body: "a heron" })]);
  return { ...store, close };
}

/** Counts how often the event loop turns while `work` runs. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    turns += 1;
  }
  await done;
  return turns;
}

testOnEachEngine(
  "R56 a worker sees what was committed before, and the event loop turns while it reads",
  async ({ store }) => {
    await createOwner(store);
    for (const word of ["first", "second", "third"]) {
      await ingest(store, [message(word, { body: `the ${word} heron` })]);
      const searching = search(store, word);
      assert.ok((await countTurns(searching)) > 1);
      assert.deepEqual(
        (await searching).hits.map(({ record_id }) => record_id),
        [word],
      );
    }
  },
  WORKERS,
);

testOnEachEngine(
  "a worker's errors keep their codes, its traffic is counted, and a blob comes in pieces",
  async ({ store }) => {
    await createOwner(store);
    await assertRefused(store.search(scopeOver("messages", {}, "nobody"), SEARCH), "not_found");
    const bytes = Buffer.alloc(2_500_000, "heron");
    const facts = await store.putBlob(OWNER, "mail", chunksOf(bytes), "text/plain");
    await ingest(store, [message("a", { attachment: facts })]);
    const before = store.traffic.bytes;
    const pieces: Uint8Array[] = [];
    for await (const piece of store.readBlob(scopeOver(), facts.blob_id, { start: 7, end: 2_400_000 }))
      pieces.push(piece);
    assert.ok(pieces.length > 1);
    assert.ok(Buffer.concat(pieces).equals(bytes.subarray(7, 2_400_000)));
    assert.ok(store.traffic.bytes - before >= 2_400_000 - 7);
  },
  WORKERS,
);

for (const [engine, create] of Object.entries(engines)) {
  test(`R57 reads of a disconnected caller are dropped or cancelled, and nobody else waits for them (${engine})`, async (t) => {
    const { embedder, waiting } = createGate();
    const store = await openWith(t, create, { embedder, grace_ms: 20 });
    const hangUp = new AbortController();
    const hostile = store.forCaller({ lane: "hostile", signal: hangUp.signal });
    const abandoned = Array.from({ length: 5 }, () =>
      search(hostile, `${WAIT} heron`).catch((error: unknown) => error),
    );
    await until(() => waiting.length === 1);
    const other = store.forCaller({ lane: "other", signal: new AbortController().signal });
    assert.equal((await search(other, "heron")).count, 1);
    assert.equal((await search(store, "heron")).count, 1);
    assert.equal(waiting.length, 1);
    const gone = new Error("gone");
    hangUp.abort(gone);
    assert.deepEqual(
      await Promise.all(abandoned),
      Array.from({ length: 5 }, () => gone),
    );
    assert.deepEqual({ ...store.abandoned }, { dropped: 4, cancelled: 1 });
    await assert.rejects(search(hostile, "heron"), gone);
    // The lane gets another thread once the cancelled one is gone.
    const again = store.forCaller({ lane: "hostile", signal: new AbortController().signal });
    assert.equal((await search(again, "heron")).count, 1);
  });

  test(`R56 long reads leave a thread for those of other lanes (${engine})`, async (t) => {
    const { embedder, waiting } = createGate();
    const store = await openWith(t, create, { embedder });
    const callAs = (lane: string) => store.forCaller({ lane, signal: new AbortController().signal });
    const lasting = ["first", "second"].map((lane) => search(callAs(lane), `${WAIT} heron`));
    await until(() => waiting.length === 2);
    assert.equal((await search(callAs("third"), "heron")).count, 1);
    for (const open of waiting) open();
    await Promise.all(lasting);
  });

  test(`R56 a read of a lane that used its share yields, and completes (${engine})`, async (t) => {
    const { embedder, waiting } = createGate();
    const store = await openWith(t, create, { embedder, share_ms: 0 });
    const used = store.forCaller(NOBODY);
    assert.equal((await search(used, "heron")).count, 1);
    assert.equal(store.given_way.ms, 0);
    const light = search(store, `${WAIT} heron`);
    await until(() => waiting.length === 1);
    assert.equal((await search(used, "heron")).count, 1);
    assert.ok(store.given_way.ms > 0);
    for (const open of waiting) open();
    await light;
  });

  test(`R56 a read beyond its time limit is refused (${engine})`, async (t) => {
    const { embedder } = createGate();
    const store = await openWith(t, create, { embedder, grace_ms: 20, work_limits: { milliseconds: 30 } });
    const slow = await assertRefused(search(store, `${WAIT} heron`), "work_limit_exceeded");
    assert.equal(slow.details.unit, "milliseconds");
    assert.deepEqual({ ...store.abandoned }, { dropped: 0, cancelled: 1 });
  });

  test(`closing a store interrupts its reads (${engine})`, async (t) => {
    const { embedder, waiting } = createGate();
    const store = await openWith(t, create, { embedder });
    const open = assertRefused(search(store, `${WAIT} heron`), "read_cancelled");
    const queued = assertRefused(search(store, `${WAIT} heron`), "read_cancelled");
    await until(() => waiting.length === 1);
    await store.close();
    await Promise.all([open, queued]);
  });
}

test("R57 PostgreSQL cancels the statement of a disconnected caller", async (t) => {
  let url = "";
  const create = async () => {
    const place = await engines.postgres();
    url = place.address;
    return place;
  };
  const store = await openWith(t, create, { grace_ms: 60_000 });
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const countWaiting = async () => {
    const { rows } = await admin.query(
      "SELECT count(*)::int AS n FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE d.datname = current_database() AND NOT l.granted",
    );
    return rows[0].n as number;
  };
  try {
    await admin.query("BEGIN");
    await admin.query("LOCK TABLE records IN ACCESS EXCLUSIVE MODE");
    const hangUp = new AbortController();
    const reading = store
      .forCaller({ lane: "a", signal: hangUp.signal })
      .getRecord(scopeOver(), refOf("a"))
      .catch((error: unknown) => error);
    await until(async () => (await countWaiting()) > 0);
    hangUp.abort("gone");
    assert.equal(await reading, "gone");
    await until(async () => (await countWaiting()) === 0);
    await admin.query("ROLLBACK");
  } finally {
    await admin.end();
  }
  const record = await store
    .forCaller({ lane: "a", signal: new AbortController().signal })
    .getRecord(scopeOver(), refOf("a"));
  assert.equal(record?.record_id, "a");
});

test("R57 lanes take turns, and a lane has only so many jobs at once", () => {
  const queue = new LaneQueue<string>(2);
  for (const job of ["a1", "a2", "a3", "a4"]) queue.add("a", job);
  for (const job of ["b1", "c1"]) queue.add(job[0] as string, job);
  const take = () => queue.take()?.job;
  assert.deepEqual([take(), take(), take(), take(), take()], ["a1", "b1", "c1", "a2", undefined]);
  queue.finish("a");
  assert.equal(queue.drop("a", "a3"), true);
  assert.equal(queue.drop("a", "a1"), false);
  assert.equal(take(), "a4");
  assert.deepEqual(queue.clear(), []);
});

test("closing a store with workers leaves no open file and no log of writes", async () => {
  const place = await engines.sqlite();
  const store = await place.open(WORKERS);
  await createOwner(store);
  await Promise.all([search(store, "heron"), search(store.forCaller(NOBODY), "heron")]);
  await store.close();
  assert.deepEqual(readdirSync(dirname(place.address)).sort(), ["rungs.db", "rungs.db-notes"]);
  await place.remove();
});
