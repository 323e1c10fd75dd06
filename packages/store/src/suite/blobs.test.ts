import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { ReadScope } from "@rungs/contract";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, removal, scopeOver } from "../../../../testing/store/world.ts";
import type { BlobFacts, Store } from "../store.ts";

testOnEachEngine("R33 bytes are stored once under their SHA-256", async ({ store }) => {
  await createOwner(store);
  const bytes = randomBytes(1_000);
  const first = await put(store, bytes, "image/png");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  assert.deepEqual(first, { blob_id: sha256, sha256, mime_type: "image/png", size_bytes: 1_000 });
  assert.deepEqual(await put(store, bytes, "text/plain"), first);
  const empty = await put(store, Buffer.alloc(0), "text/plain");
  assert.equal(empty.size_bytes, 0);
  assert.deepEqual(await store.check(OWNER), []);
});

testOnEachEngine("R33 any range of a blob is read in bounded chunks", async ({ store }) => {
  await createOwner(store);
  const bytes = randomBytes(600_000);
  const blob = await put(store, bytes, "application/pdf");
  await ingest(store, [message("a", { attachment: refTo(blob) })]);
  const ranges = [
    [0, 0],
    [0, 1],
    [5, 5],
    [262_143, 262_145],
    [0, 600_000],
    [599_999, 700_000],
    [600_000, 600_001],
    [900_000, 900_001],
    [100, 50],
  ];
  for (const [start = 0, end = 0] of ranges) {
    const pieces = await read(store, scopeOver(), blob.blob_id, start, end);
    assert.ok(Buffer.concat(pieces).equals(bytes.subarray(start, Math.max(start, end))), `${start}-${end}`);
    assert.ok(pieces.every((piece) => piece.length > 0 && piece.length <= 1 << 20));
  }
});

testOnEachEngine(
  "R33 R54 a blob is readable only through a granted field of a granted record",
  async ({ store }) => {
    await createOwner(store, { connections: ["mail", "work"] });
    await createOwner(store, { owner_id: "you" });
    const blob = await put(store, Buffer.from("secret bytes"), "text/plain");
    const sent_at = "2026-01-01T00:00:00Z";
    await ingest(store, [
      message("a", { payload: { files: [{ name: "x", file: refTo(blob) }] }, sent_at }),
      message("b", { subject: blob.blob_id }),
    ]);
    const granted = await store.describeBlob(scopeOver(), blob.blob_id);
    assert.deepEqual(granted, {
      ...blob,
      via: { connection_id: "mail", stream: "messages", record_id: "a", field_path: "payload.files[0].file" },
    });
    const hidden: ReadScope[] = [
      scopeOver("messages", { fields: ["id", "attachment", "subject"] }),
      scopeOver("messages", { record_ids: ["b"] }),
      scopeOver("messages", { time: { since_ms: Date.parse(sent_at) + 1 } }),
      scopeOver("messages", { connection_id: "work" }),
      scopeOver("events"),
      scopeOver("messages", {}, "you"),
      { owner_id: OWNER, streams: [] },
    ];
    for (const scope of hidden) {
      assert.equal(await store.describeBlob(scope, blob.blob_id), undefined, JSON.stringify(scope));
      assert.deepEqual(await read(store, scope, blob.blob_id, 0, 100), [], JSON.stringify(scope));
    }
    assert.equal(await store.describeBlob(scopeOver(), "0".repeat(64)), undefined);
  },
);

testOnEachEngine(
  "R54 a client loses access to a blob with the last granted reference to it",
  async ({ store }) => {
    await createOwner(store);
    const blob = await put(store, Buffer.from("bytes"), "text/plain");
    await ingest(store, [
      message("b", { attachment: refTo(blob) }),
      message("a", { attachment: refTo(blob) }),
    ]);
    const via = async () => (await store.describeBlob(scopeOver(), blob.blob_id))?.via.record_id;
    assert.equal(await via(), "a");
    await ingest(store, [message("a", { attachment: null })]);
    assert.equal(await via(), "b");
    await ingest(store, [removal("messages", "b")]);
    assert.equal(await via(), undefined);
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine("R33 blobs belong to one owner", async ({ store }) => {
  await createOwner(store);
  await createOwner(store, { owner_id: "you" });
  const blob = await put(store, Buffer.from("mine"), "text/plain");
  const [outcome] = await store.ingest("you", "mail", [message("a", { attachment: refTo(blob) })]);
  assert.deepEqual(outcome?.status === "rejected" && [outcome.code, outcome.param], [
    "blob_not_found",
    "attachment",
  ]);
});

testOnEachEngine("R70 a record refers only to blobs that its own connection stored", async ({ store }) => {
  await createOwner(store, { connections: ["mail", "work"] });
  const bytes = Buffer.from("a file of the connection mail");
  const blob = await put(store, bytes, "text/plain");
  const absent = { ...refTo(blob), blob_id: "0".repeat(64), sha256: "0".repeat(64) };
  const steal = async (attachment: object) => {
    const [outcome] = await store.ingest(OWNER, "work", [message("thief", { attachment })]);
    assert.equal(outcome?.status, "rejected");
    return outcome;
  };
  assert.deepEqual(await steal(refTo(blob)), await steal(absent), "stored elsewhere is like absent");
  const work = scopeOver("messages", { connection_id: "work" });
  assert.equal(await store.describeBlob(work, blob.blob_id), undefined);
  await put(store, bytes, "text/plain", "work");
  const [taken] = await store.ingest(OWNER, "work", [message("own", { attachment: refTo(blob) })]);
  assert.equal(taken?.status, "added", "a connection that stored the same bytes may refer to them");
  assert.equal((await store.describeBlob(work, blob.blob_id))?.via.record_id, "own");
  assert.deepEqual(await store.check(OWNER), []);
});

function refTo({ blob_id, mime_type, size_bytes, sha256 }: BlobFacts) {
  return { blob_id, mime_type, size_bytes, sha256 };
}

function put(store: Store, bytes: Buffer, mime_type: string, connection_id = "mail"): Promise<BlobFacts> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < bytes.length; start += 70_001) yield bytes.subarray(start, start + 70_001);
  }
  return store.putBlob(OWNER, connection_id, pieces(), mime_type);
}

async function read(
  store: Store,
  scope: ReadScope,
  blob_id: string,
  start: number,
  end: number,
): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.readBlob(scope, blob_id, { start, end })) pieces.push(piece);
  return pieces;
}
