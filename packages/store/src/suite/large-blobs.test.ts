import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, scopeOver } from "../../../../testing/store/world.ts";

const SIZE = 5 * 1024 ** 2 + 17;
const bytes = Buffer.alloc(SIZE, "0123456789abcdef!");

async function* inPieces(size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

testOnEachEngine(
  "R33 a blob of many chunks is stored while it arrives, once, and read in any range",
  async ({ store }) => {
    await createOwner(store);
    const blob = await store.putBlob(OWNER, "mail", inPieces(100_001), "application/octet-stream");
    assert.equal(blob.sha256, createHash("sha256").update(bytes).digest("hex"));
    assert.equal(blob.size_bytes, SIZE);
    assert.deepEqual(
      await store.putBlob(OWNER, "mail", inPieces(3_000_000), "application/octet-stream"),
      blob,
    );
    await ingest(store, [message("a", { attachment: { ...blob } })]);
    for (const [start, end] of [
      [0, 10],
      [262_140, 262_150],
      [SIZE - 5, SIZE + 5],
      [1_000_000, 4_000_000],
    ] as const) {
      const pieces: Uint8Array[] = [];
      for await (const piece of store.readBlob(scopeOver(), blob.blob_id, { start, end })) pieces.push(piece);
      assert.ok(Buffer.concat(pieces).equals(bytes.subarray(start, end)), `${start}-${end}`);
    }
    await store.tidy(OWNER);
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine("R33 an interrupted blob is not stored", async ({ store }) => {
  await createOwner(store);
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield bytes;
    throw new Error("the line broke");
  }
  await assert.rejects(store.putBlob(OWNER, "mail", broken(), "a/b"), /the line broke/);
  assert.deepEqual(await store.check(OWNER), []);
});
