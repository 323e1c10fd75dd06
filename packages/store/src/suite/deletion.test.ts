import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, refOf, scopeOver } from "../../../../testing/store/world.ts";
import type { BlobFacts, Store } from "../store.ts";
import { assertRefused } from "./refusals.ts";

/** Found in every kind of row: a field, a long text, a filterable value, a word of the index, a thread, a blob. */
const SECRET = "zqxjvkwsecret";

testOnEachEngine(
  "R73 nothing of deleted records is left in any table, in the file or in its log",
  async ({ store, place }) => {
    await createOwner(store);
    const kept = Array.from({ length: 40 }, (_, at) => message(`kept${at}`, { subject: `kept word ${at}` }));
    await ingest(store, kept);
    const blob = await put(store, `${SECRET} in a file`);
    await ingest(store, [
      message("gone1", {
        subject: `${SECRET} plan`,
        body: `The ${SECRET} garden has a river. `.repeat(600),
        code: SECRET,
        label: SECRET,
        payload: { deep: [SECRET.repeat(900)] },
        attachment: blob,
        sent_at: "2026-02-01T00:00:00Z",
      }),
      message("gone2", { subject: `${SECRET} again` }),
    ]);
    const holders = ["blob_chunks", "blocks", "chunks", "records", "scalars"];
    assert.deepEqual((await listHolders(store)).sort(), holders);
    assert.equal(await store.deleteRecords(OWNER, "mail", "messages", ["gone1", "gone2", "none"]), 2);
    const { is_space_freed } = await store.purge(OWNER);
    assert.equal(is_space_freed, true);
    assert.deepEqual(await listHolders(store), []);
    assert.deepEqual(await store.check(OWNER), []);
    const query = requireQuery("kept word");
    assert.equal((await store.search(scopeOver(), { query, limit: 50 })).count, 40);
    if (place.engine === "sqlite")
      for (const file of [place.address, `${place.address}-wal`])
        assert.ok(!readFileSync(file).includes(SECRET), file);
  },
);

testOnEachEngine("R73 a blob is deleted with the last record that refers to it", async ({ store }) => {
  await createOwner(store, { connections: ["mail", "work"] });
  const blob = await put(store, "shared bytes");
  await ingest(store, [message("a", { attachment: blob }), message("b", { attachment: blob })]);
  await store.deleteRecord(OWNER, "mail", "messages", "a");
  assert.ok(await store.describeBlob(scopeOver(), blob.blob_id));
  await ingest(store, [message("b", { subject: "without it" })]);
  assert.equal(await store.describeBlob(scopeOver(), blob.blob_id), undefined);
  const tables = new Set<string>();
  await store.dump(async ({ table, rows }) => {
    if (rows.length > 0) tables.add(table);
  });
  for (const table of ["blobs", "blob_chunks", "blob_refs", "blob_sources"])
    assert.ok(!tables.has(table), table);
});

testOnEachEngine(
  "R73 a deleted connection takes everything with it and leaves its neighbours alone",
  async ({ store }) => {
    await createOwner(store, { connections: ["mail", "work"] });
    const records = Array.from({ length: 1_100 }, (_, at) =>
      message(`m${at}`, { subject: `${SECRET} ${at}`, body: "A short note.", label: `t${at % 7}` }),
    );
    await ingest(store, records);
    await ingest(store, [message("w", { subject: "work stays" })], { connection_id: "work" });
    await store.deleteConnection(OWNER, "mail");
    assert.deepEqual(
      (await store.listConnections(OWNER)).map(({ connection_id }) => connection_id),
      ["work"],
    );
    await store.purge(OWNER);
    assert.deepEqual(await listHolders(store), []);
    assert.deepEqual(await store.check(OWNER), []);
    const scope = scopeOver("messages", { connection_id: "work" });
    assert.ok(await store.getRecord(scope, refOf("w", "messages", "work")));
    assert.equal((await store.search(scope, { query: requireQuery("stays"), limit: 5 })).count, 1);
    await assertRefused(store.deleteConnection(OWNER, "mail"), "connection_not_found");
    await createOwner(store, { connections: ["mail"] });
    assert.equal((await store.describeStreams(scopeOver()))[0]?.record_count, 0);
    await ingest(store, [message("m1", { subject: "back again" })]);
    assert.equal((await store.search(scopeOver(), { query: requireQuery("again"), limit: 5 })).count, 1);
  },
);

testOnEachEngine("R73 a deletion leaves a tombstone for clients that keep a copy", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { subject: "one" }), message("b", { subject: "two" })]);
  const request = { connection_id: "mail", stream: "messages", limit: 10 };
  const { horizon } = await store.listChanges(scopeOver(), { ...request, since: 0 });
  await store.deleteRecords(OWNER, "mail", "messages", ["a"]);
  await store.purge(OWNER);
  const { changes } = await store.listChanges(scopeOver(), { ...request, since: horizon });
  assert.deepEqual(
    changes.map((change) => change.kind === "tombstone" && change.record_id),
    ["a"],
  );
});

async function put(store: Store, text: string): Promise<BlobFacts> {
  return store.putBlob(OWNER, "mail", ReadableStream.from([Buffer.from(text)]), "text/plain");
}

/** The tables that have the secret in any cell. */
async function listHolders(store: Store): Promise<string[]> {
  const found = new Set<string>();
  await store.dump(async ({ table, rows }) => {
    const holds = rows
      .flat()
      .some((cell) => Buffer.from(cell instanceof Uint8Array ? cell : `${cell}`).includes(SECRET));
    if (holds) found.add(table);
  });
  return [...found];
}
