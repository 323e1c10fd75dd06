import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { requireManifest } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import pg from "pg";
import { type Place, testOnEachEngine } from "../../../../testing/engines.ts";
import { createManifest } from "../../../../testing/store/manifests.ts";
import {
  createOwner,
  ingest,
  message,
  OWNER,
  putConnection,
  refOf,
  scopeOver,
} from "../../../../testing/store/world.ts";

const long = `${"filler words ".repeat(2_000)}zebra at the end`;

testOnEachEngine(
  "a field that a new declaration makes searchable finds existing records",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [
      message("a", { subject: "plain", body: long }),
      message("b", { subject: "other", body: "nothing", payload: { text: "walrus".repeat(1_000) } }),
    ]);
    const before = await store.getRecord(scopeOver(), refOf("a"));
    await store.putManifest(OWNER, withLexicalFields("2", ["subject"]));
    await putConnection(store, { version: "2" });
    assert.equal((await store.search(scopeOver(), { query: requireQuery("zebra"), limit: 5 })).count, 0);
    await store.putManifest(OWNER, withLexicalFields("3", ["subject", "body"]));
    await putConnection(store, { version: "3" });
    const found = await store.search(scopeOver(), { query: requireQuery("zebra"), limit: 5 });
    assert.deepEqual(
      found.hits.map((hit) => [hit.record_id, hit.proofs[0]?.field_path]),
      [["a", "body"]],
    );
    assert.deepEqual(await store.getRecord(scopeOver(), refOf("a")), before);
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine(
  "a changed record leaves nothing behind after its declaration changed",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a", { subject: "one", body: long })]);
    await store.putManifest(OWNER, withLexicalFields("2", ["body"]));
    await putConnection(store, { version: "2" });
    await ingest(store, [message("a", { subject: "two", body: "short" })]);
    assert.equal((await store.search(scopeOver(), { query: requireQuery("zebra"), limit: 5 })).count, 0);
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine(
  "an index of another tokenizer version is rebuilt when the store opens",
  async ({ store, place }) => {
    await createOwner(store);
    await ingest(store, [message("a", { subject: "plain", body: long })]);
    await outdate(place);
    const again = await place.open();
    try {
      const found = await again.search(scopeOver(), { query: requireQuery("zebra"), limit: 5 });
      assert.equal(found.hits[0]?.record_id, "a");
      assert.deepEqual(await again.check(OWNER), []);
    } finally {
      await again.close();
    }
  },
);

function withLexicalFields(version: string, lexical_fields: string[]) {
  const manifest = createManifest();
  return requireManifest({
    ...manifest,
    declaration_version: version,
    streams: manifest.streams.map((stream) =>
      stream.name === "messages"
        ? { ...stream, query: { ...stream.query, search: { lexical_fields } } }
        : stream,
    ),
  });
}

/** Makes the segments look as if another version had written them, without any findable terms. */
async function outdate({ engine, address }: Place): Promise<void> {
  const statements = ["UPDATE runs SET tokenizer = 0", "DELETE FROM blocks"];
  if (engine === "sqlite") {
    const database = new DatabaseSync(address);
    for (const statement of statements) database.exec(statement);
    database.close();
    return;
  }
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}
