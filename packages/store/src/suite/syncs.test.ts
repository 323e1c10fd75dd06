import assert from "node:assert/strict";
import type { SyncBatch, SyncInput } from "@rungs/store";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, message, OWNER, refOf, removal, scopeOver } from "../../../../testing/store/world.ts";

const INPUT: SyncInput = {
  sync_id: "box",
  connection_id: "mail",
  kind: "imap",
  settings: { host: "imap.example.org" },
  schedule: { kind: "every", minutes: 15 },
  keeps_deleted: false,
  secret: "1.sealed",
};
const lease = (holder: string, gone?: string) => ({ sync_id: "box", holder, gone });
const item = (uid: string, record_id: string) => ({
  collection: "INBOX",
  item: uid,
  stream: "messages",
  record_id,
  others: [["attachments", `${record_id}~1`] as const],
  state: { flags: ["seen"] },
});
const batch = (change: Partial<SyncBatch>): SyncBatch => ({
  connection_id: "mail",
  records: [],
  items: [],
  removed: [],
  cursors: [],
  ...change,
});

testOnEachEngine("a sync is added once, changed, listed and forgotten", async ({ store }) => {
  await createOwner(store);
  assert.equal(await store.addSync(OWNER, INPUT), true);
  assert.equal(await store.addSync(OWNER, { ...INPUT, kind: "other" }), false);
  const [stored] = await store.listSyncs(OWNER);
  assert.partialDeepStrictEqual(stored, { ...INPUT, is_paused: false, due_ms: 0, failure_count: 0 });
  await store.changeSync(OWNER, "box", { is_paused: true, due_ms: 7, secret: "1.other" });
  assert.partialDeepStrictEqual((await store.listSyncs(OWNER))[0], {
    ...INPUT,
    is_paused: true,
    due_ms: 7,
    secret: "1.other",
  });
  assert.equal(await store.changeSync(OWNER, "none", { due_ms: 1 }), false);
  assert.equal(await store.deleteSync(OWNER, "box"), true);
  assert.equal(await store.deleteSync(OWNER, "box"), false);
  assert.deepEqual(await store.listSyncs(OWNER), []);
});

testOnEachEngine(
  "R76 one process at a time holds a sync, and another takes it when the lease ends",
  async ({ store, place }) => {
    await createOwner(store);
    await store.addSync(OWNER, INPUT);
    const other = await place.open();
    try {
      const [soon, past] = [Date.now() + 60_000, Date.now() - 1];
      assert.equal(await store.leaseSync(OWNER, lease("a"), soon), true);
      assert.equal(await other.leaseSync(OWNER, lease("b"), soon), false);
      assert.equal(await store.leaseSync(OWNER, lease("a"), past), true, "renewed");
      assert.equal(await other.leaseSync(OWNER, lease("b"), soon), true, "ended");
      await assert.rejects(store.writeSync(OWNER, lease("a"), batch({ records: [message("late")] })), {
        code: "sync_busy",
      });
      assert.equal(await store.getRecord(scopeOver(), refOf("late")), undefined);
      assert.equal(await store.leaseSync(OWNER, lease("c", "b"), soon), true, "its holder is gone");
      await other.releaseSync(OWNER, lease("b"));
      assert.equal((await store.listSyncs(OWNER))[0]?.lease?.holder, "c", "only the holder releases");
      await store.releaseSync(OWNER, lease("c"));
      assert.equal((await store.listSyncs(OWNER))[0]?.lease, undefined);
    } finally {
      await other.close();
    }
  },
);

testOnEachEngine("R76 records, items and cursors are written together or not at all", async ({ store }) => {
  await createOwner(store);
  await store.addSync(OWNER, INPUT);
  await store.leaseSync(OWNER, lease("a"), Date.now() + 60_000);
  const cursors = [{ collection: "INBOX", cursor: { uid_next: 3 } }];
  const items = [item("1", "m1"), item("2", "m2"), { ...item("1", "m1"), collection: "Work" }];
  await store.writeSync(
    OWNER,
    lease("a"),
    batch({ records: [message("m1"), message("m2")], items, cursors }),
  );
  assert.deepEqual(await store.listSyncCursors(OWNER, "box"), cursors);
  const page = (after: string) => ({ collection: "INBOX", after, limit: 1 });
  assert.deepEqual(await store.listSyncItems(OWNER, "box", page("")), [items[0]]);
  assert.deepEqual(await store.listSyncItems(OWNER, "box", page("1")), [items[1]]);
  assert.deepEqual(await store.listSyncItems(OWNER, "box", { collection: "INBOX", items: ["2", "9"] }), [
    items[1],
  ]);
  assert.equal(await store.countSyncItems(OWNER, "box", "INBOX", "2"), 1);
  const copies = await store.findSyncItems(OWNER, "box", ["m1"]);
  assert.deepEqual(copies.map(({ collection }) => collection).sort(), ["INBOX", "Work"]);
  const lost = batch({ connection_id: "none", records: [message("m3")], items: [item("3", "m3")] });
  await assert.rejects(store.writeSync(OWNER, lease("a"), lost));
  assert.equal(await store.countSyncItems(OWNER, "box", "INBOX", "9"), 2);
  const gone = { records: [removal("messages", "m2")], removed: [{ collection: "INBOX", item: "2" }] };
  const [outcome] = await store.writeSync(
    OWNER,
    lease("a"),
    batch({ ...gone, cursors: [{ collection: "INBOX", cursor: null }] }),
  );
  assert.equal(outcome?.status, "deleted");
  assert.deepEqual(await store.listSyncCursors(OWNER, "box"), []);
  assert.equal(await store.countSyncItems(OWNER, "box", "INBOX", "9"), 1);
});

testOnEachEngine(
  "the newest 500 runs of a sync are kept, and nothing of it outlives its connection",
  async ({ store }) => {
    await createOwner(store);
    await store.addSync(OWNER, INPUT);
    for (let at = 1; at <= 503; at += 1)
      await store.putSyncRun(OWNER, { sync_id: "box", started_ms: at, body: { at } });
    await store.putSyncRun(OWNER, { sync_id: "box", started_ms: 503, body: { at: "again" } });
    const runs = await store.listSyncRuns(OWNER, "box", 1_000);
    assert.deepEqual([runs.length, runs[0]?.body, runs.at(-1)?.started_ms], [500, { at: "again" }, 4]);
    await store.deleteConnection(OWNER, "mail");
    assert.deepEqual(await store.listSyncs(OWNER), []);
    assert.deepEqual(await store.listSyncRuns(OWNER, "box", 1), []);
  },
);
