import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, refOf, scopeOver } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";

const bytes = randomBytes(50_000);
const base64 = bytes.toString("base64");
const mime = base64.match(/.{1,76}/g)?.join("\r\n") ?? "";
const idOf = (of: Buffer) => createHash("sha256").update(of).digest("hex");
const describe = (of: Buffer) =>
  `(binary: application/octet-stream, ${of.length} bytes; read_blob blob_id=${idOf(of)})`;

testOnEachEngine(
  "R33 a record holds a description in place of encoded bytes, at any depth",
  async ({ store }) => {
    await createOwner(store);
    const small = bytes.subarray(0, 900);
    await ingest(store, [
      message("a", {
        body: mime,
        note: `data:image/png;base64,${base64}`,
        payload: { name: "x", files: [{ content: small.toString("base64") }, { content: "plain" }] },
        parts: [{ text: bytes.toString("hex") }, { text: "words ".repeat(2_000) }],
      }),
    ]);
    const record = await store.getRecord(scopeOver(), refOf("a"));
    assert.doesNotMatch(JSON.stringify(record), /[A-Za-z0-9+/]{80,}/);
    assert.equal(record?.data.body, describe(bytes));
    assert.deepEqual(record?.data.payload, {
      name: "x",
      files: [{ content: describe(small) }, { content: "plain" }],
    });
    const parent = await store.readField(scopeOver(), refOf("a"), "parts", { start: 0, end: 100_000 });
    assert.equal(JSON.parse(parent?.text ?? "")[0].text, describe(bytes));
    assert.equal(await readText(store, "parts[0].text"), bytes.toString("hex"));
    assert.equal(await readText(store, "payload.files[1].content"), "plain");
    assert.equal(await readText(store, "body"), mime);
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine(
  "R33 any range of encoded bytes can be read as a blob, but only under the grant",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a", { body: mime, payload: { deep: [base64, "x".repeat(5_000)] } })]);
    const id = idOf(bytes);
    for (const fields of [["body"], ["payload"]]) {
      const scope = scopeOver("messages", { fields: ["id", ...fields] });
      const granted = await store.describeBlob(scope, id);
      assert.deepEqual([granted?.size_bytes, granted?.via.record_id], [bytes.length, "a"]);
      for (const [start, end] of [
        [0, 1],
        [1, 3],
        [57, 58],
        [40_000, 49_999],
        [0, 50_000],
        [49_999, 60_000],
      ] as const) {
        const read = Buffer.concat(await Array.fromAsync(store.readBlob(scope, id, { start, end })));
        assert.ok(read.equals(bytes.subarray(start, end)), `${fields} ${start}-${end}`);
      }
    }
    for (const hidden of [
      scopeOver("messages", { fields: ["id", "note"] }),
      scopeOver("messages", { record_ids: ["b"] }),
    ]) {
      assert.equal(await store.describeBlob(hidden, id), undefined);
      assert.deepEqual(await Array.fromAsync(store.readBlob(hidden, id, { start: 0, end: 9 })), []);
    }
    await store.deleteRecord(OWNER, "mail", "messages", "a");
    assert.equal(await store.describeBlob(scopeOver(), id), undefined);
  },
);

testOnEachEngine("R33 a short range reads little, wherever it is", async ({ store }) => {
  await createOwner(store);
  const large = randomBytes(2_000_000);
  const text =
    large
      .toString("base64")
      .match(/.{1,76}/g)
      ?.join("\r\n") ?? "";
  await ingest(store, [message("a", { body: text })]);
  await store.describeBlob(scopeOver(), idOf(large));
  for (const start of [0, 1_999_000]) {
    const before = store.traffic.bytes;
    await Array.fromAsync(store.readBlob(scopeOver(), idOf(large), { start, end: start + 100 }));
    assert.ok(store.traffic.bytes - before < 60_000, `${store.traffic.bytes - before} bytes at ${start}`);
  }
});

testOnEachEngine("R33 words are neither found nor shown inside encoded bytes", async ({ store }) => {
  await createOwner(store);
  const text = `zebra+${base64.slice(6)}`;
  await ingest(store, [
    message("a", { subject: "stripes", body: text }),
    message("b", { body: "zebra crossing" }),
  ]);
  const { hits } = await store.search(scopeOver(), { query: requireQuery("zebra"), limit: 10 });
  assert.deepEqual(
    hits.map(({ record_id }) => record_id),
    ["b"],
  );
  const described = await store.search(scopeOver(), {
    query: requireQuery("stripes octet binary"),
    limit: 10,
  });
  for (const { proofs } of described.hits) assert.doesNotMatch(JSON.stringify(proofs), /octet-stream/);
});

testOnEachEngine(
  "R33 a record with the same encoded bytes is unchanged, and one with other bytes is changed",
  async ({ store }) => {
    await createOwner(store);
    const data = { body: mime, payload: { deep: [base64, "x".repeat(5_000)] } };
    const ingestStatus = async (next: Record<string, unknown>) => {
      const [outcome] = await store.ingest(OWNER, "mail", [message("a", next)]);
      return outcome?.status;
    };
    assert.equal(await ingestStatus(data), "added");
    assert.equal(await ingestStatus(data), "unchanged");
    const other = randomBytes(50_000).toString("base64");
    assert.equal(await ingestStatus({ ...data, payload: { deep: [other, "x".repeat(5_000)] } }), "changed");
    assert.equal(await ingestStatus({ ...data, payload: { deep: [other, "x".repeat(5_000)] } }), "unchanged");
  },
);

testOnEachEngine("R51 encoded bytes in a hidden field do not affect a visible one", async ({ store }) => {
  await createOwner(store);
  const many = Array.from({ length: 1_001 }, () => randomBytes(780).toString("base64"));
  await ingest(store, [message("a", { payload: many, body: base64 })]);
  const seen = await store.getRecord(scopeOver("messages", { fields: ["id", "body"] }), refOf("a"));
  assert.equal(seen?.data.body, describe(bytes));
});

async function readText(store: Store, path: string): Promise<string | undefined> {
  return (await store.readField(scopeOver(), refOf("a"), path, { start: 0, end: 1_000_000 }))?.text;
}
