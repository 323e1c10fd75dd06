/** Accounts of owners: quotas, what is counted, and removal with everything that an owner had. */
import assert from "node:assert/strict";
import { ApiError } from "@rungs/contract";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import {
  createOwner,
  createTestGrant,
  EMITTED_AT,
  ingest,
  message,
  refOf,
  removal,
  scopeOver,
} from "../../../../testing/store/world.ts";
import type { OwnerQuota, Store, TablePage } from "../store.ts";

const ADA = "ada";
const AT = EMITTED_AT;

async function invite(store: Store, owner_id: string, quota: OwnerQuota = {}): Promise<void> {
  assert.equal(await store.addOwner({ owner_id, created_at: AT, quota }), true);
  await createOwner(store, { owner_id });
}

const isFull = (error: unknown) => error instanceof ApiError && error.code === "quota_exceeded";

testOnEachEngine("R126 the first owner administers, others do when they are told to", async ({ store }) => {
  await store.putOwner("owner");
  await invite(store, ADA, { records: 5 });
  assert.equal(
    await store.addOwner({ owner_id: ADA, created_at: AT, quota: {} }),
    false,
    "the name is taken",
  );
  assert.deepEqual(await store.listAccounts(), [
    { owner_id: "owner", is_admin: true, quota: {} },
    {
      owner_id: ADA,
      created_at: AT,
      is_admin: false,
      quota: { records: 5 },
      usage: { records: 0, bytes: 0 },
    },
  ]);
  const changed = await store.changeAccount(ADA, { is_admin: true });
  assert.deepEqual(changed, await store.getAccount(ADA));
  assert.deepEqual([changed.is_admin, changed.quota], [true, { records: 5 }]);
  await assert.rejects(store.getAccount("nobody"), /no such owner/);
});

testOnEachEngine("R127 what is written, changed and deleted is counted exactly", async ({ store }) => {
  await store.putOwner("owner");
  await invite(store, ADA);
  const random = new Random(7);
  for (let round = 0; round < 12; round += 1) {
    const file = Buffer.alloc(random.below(3_000), round);
    const blob = await store.putBlob(ADA, "mail", ReadableStream.from([file]), "text/plain");
    const batch = Array.from({ length: 6 }, () => {
      const key = `m${random.below(9)}`;
      if (random.below(4) === 0) return removal("messages", key);
      const body = "日本 text ".repeat(random.below(2_000));
      return message(key, { body, attachment: random.below(2) ? { blob_id: blob.blob_id } : null });
    });
    await ingest(store, batch, { owner_id: ADA });
    if (round === 8) await store.deleteConnection(ADA, "mail");
    if (round === 8) await createOwner(store, { owner_id: ADA });
    const kept = (await store.getAccount(ADA)).usage;
    assert.deepEqual(kept, await store.countUsage(ADA), `round ${round}`);
  }
  assert.equal((await store.getAccount("owner")).usage, undefined, "nothing counts without a need");
});

testOnEachEngine(
  "R127 a batch that does not fit is refused whole, and deleting makes room",
  async ({ store }) => {
    await store.putOwner("owner");
    await invite(store, ADA, { records: 3 });
    await ingest(store, [message("a"), message("b")], { owner_id: ADA });
    await assert.rejects(ingest(store, [message("c"), message("d")], { owner_id: ADA }), isFull);
    assert.equal((await store.getAccount(ADA)).usage?.records, 2);
    assert.equal(await store.getRecord(scopeOver("messages", {}, ADA), refOf("c")), undefined);
    await ingest(store, [message("c"), removal("messages", "a"), message("d")], { owner_id: ADA });
    await store.changeAccount(ADA, { quota: { records: 1 } });
    await ingest(store, [message("b", { subject: "changed" }), removal("messages", "c")], { owner_id: ADA });
    assert.equal(
      (await store.getAccount(ADA)).usage?.records,
      2,
      "above a quota that was lowered, less is possible",
    );
  },
);

testOnEachEngine(
  "R127 bytes count records and files, and a file that does not fit leaves nothing",
  async ({ store }) => {
    await store.putOwner("owner");
    await invite(store, ADA, { bytes: 3_000_000 });
    const put = (size: number) =>
      store.putBlob(ADA, "mail", ReadableStream.from([Buffer.alloc(size, "x")]), "text/plain");
    await put(2_000_000);
    await put(2_000_000);
    await assert.rejects(put(2_500_000), isFull);
    await assert.rejects(put(1_200_000), isFull);
    await assert.rejects(
      ingest(store, [message("a", { body: "日本語".repeat(200_000) })], { owner_id: ADA }),
      isFull,
    );
    const held: number[] = [];
    await store.dump(
      async ({ rows }) => void held.push(...rows.map((row) => Number(row[2]))),
      ["blob_chunks"],
    );
    assert.equal(held.length, Math.ceil(2_000_000 / 262_144));
    assert.equal((await store.countUsage(ADA)).bytes, 2_000_000);
  },
);

testOnEachEngine(
  "R128 a removed owner leaves no row, and neither name nor number comes back",
  async ({ store, place }) => {
    const other = await place.open();
    try {
      await store.putOwner("owner");
      await createOwner(store, { owner_id: "ben" });
      await ingest(store, [message("b", { subject: "stays" })], { owner_id: "ben" });
      await invite(store, ADA);
      await ingest(other, [message("a", { body: "long ".repeat(3_000) })], { owner_id: ADA });
      await store.putBlob(ADA, "mail", ReadableStream.from([Buffer.from("x")]), "text/plain");
      await store.putGrant(ADA, createTestGrant("g", { subject: { id: ADA } }));
      await store.putState(ADA, { kind: "k", id: "i", value: 1 });
      const read = { at: AT, request_id: "r", client_id: "c", operation: "search", status: 200, bytes: 1 };
      await store.appendAudit(ADA, [read]);
      await store.removeOwner(ADA);
      const numbers = new Set<unknown>();
      const note = async ({ rows }: TablePage) => {
        for (const [owner] of rows) numbers.add(owner);
      };
      await store.dump(note);
      assert.deepEqual([...numbers].sort(), [0, 1, 2]);
      assert.equal((await store.describeStreams(scopeOver("messages", {}, "ben")))[0]?.record_count, 1);
      // The other process still has the number of the owner.
      await assert.rejects(ingest(other, [message("c")], { owner_id: ADA }), /no such owner/);
      await assert.rejects(other.putState(ADA, { kind: "k", id: "i", value: 1 }), /no such owner/);
      await other.appendAudit(ADA, [read]).catch(() => undefined);
      assert.deepEqual(await other.listAudit("ben", { limit: 9 }), []);
      await store.dump(note);
      assert.deepEqual([...numbers].sort(), [0, 1, 2]);
      assert.equal(await store.addOwner({ owner_id: ADA, created_at: AT, quota: {} }), false);
      await invite(store, "cy");
      await ingest(store, [message("c")], { owner_id: "cy" });
      await store.dump(note, ["owners"]);
      assert.deepEqual([...numbers].sort(), [0, 1, 2, 4]);
      await assert.rejects(store.removeOwner("owner"), /first owner/);
    } finally {
      await other.close();
    }
  },
);
