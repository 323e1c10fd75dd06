import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { requireQuery } from "@rungs/evidence";
import pg from "pg";
import { type Place, testOnEachEngine } from "../../../../testing/engines.ts";
import {
  createOwner,
  EMITTED_AT,
  ingest,
  message,
  OWNER,
  refOf,
  removal,
  scopeOver,
} from "../../../../testing/store/world.ts";
import { SCHEMA_VERSION } from "../schema.ts";
import type { Store } from "../store.ts";
import { assertRefused } from "./refusals.ts";

const NEWER = 1_000_000;

testOnEachEngine("data persists when the store is opened again", async ({ place }) => {
  const first = await place.open();
  await fill(first);
  const before = await everything(first);
  await first.close();
  const again = await place.open();
  try {
    assert.deepEqual(await everything(again), before);
    await ingest(again, [message("later", { subject: "goes on" })]);
    assert.deepEqual(await again.check(OWNER), []);
  } finally {
    await again.close();
  }
});

testOnEachEngine("two stores on one database see each other's writes", async ({ store, place }) => {
  await fill(store);
  const other = await place.open();
  try {
    await ingest(other, [message("theirs", { subject: "shared word" })]);
    await ingest(store, [message("ours", { subject: "shared word" })]);
    await Promise.all([
      ...Array.from({ length: 5 }, (_, at) => ingest(store, [message(`s${at}`, { subject: "busy" })])),
      ...Array.from({ length: 5 }, (_, at) => ingest(other, [message(`o${at}`, { subject: "busy" })])),
    ]);
    for (const one of [store, other]) {
      assert.equal((await one.search(scopeOver(), { query: requireQuery("shared"), limit: 5 })).count, 2);
      assert.equal((await one.search(scopeOver(), { query: requireQuery("busy"), limit: 5 })).count, 10);
    }
    assert.deepEqual(await other.check(OWNER), []);
  } finally {
    await other.close();
  }
});

testOnEachEngine("a database of a newer version is refused and left unchanged", async ({ store, place }) => {
  await fill(store);
  await run(place, {
    sqlite: `PRAGMA user_version = ${NEWER}`,
    postgres: `UPDATE rungs_schema SET version = ${NEWER}`,
  });
  const refusal = await assertRefused(place.open(), "database_newer");
  assert.equal(refusal.details.database, NEWER);
  assert.equal(typeof refusal.details.program, "number");
  await run(place, {
    sqlite: `PRAGMA user_version = ${SCHEMA_VERSION}`,
    postgres: `UPDATE rungs_schema SET version = ${SCHEMA_VERSION}`,
  });
  const again = await place.open();
  try {
    assert.deepEqual(await everything(again), await everything(store));
  } finally {
    await again.close();
  }
});

testOnEachEngine("after every kind of write, the check finds no problem", async ({ store }) => {
  await fill(store);
  assert.deepEqual(await store.check(OWNER), []);
  await ingest(store, [message("a", { subject: "new" }), removal("messages", "b"), removal("events", "e")]);
  assert.deepEqual(await store.check(OWNER), []);
  await store.tidy(OWNER);
  await store.forgetDepartures(OWNER, 3);
  assert.deepEqual(await store.check(OWNER), []);
  await store.putOwner("you");
  assert.deepEqual(await store.check("you"), []);
});

testOnEachEngine("a rebuild repairs a damaged index and changes no record", async ({ store, place }) => {
  await fill(store);
  const before = await everything(store);
  for (const damage of ["DELETE FROM blocks", "DELETE FROM runs"]) {
    await run(place, { sqlite: damage, postgres: damage });
    assert.notDeepEqual(await store.check(OWNER), []);
    await store.rebuild(OWNER);
    assert.deepEqual(await store.check(OWNER), []);
    assert.deepEqual(await everything(store), before);
  }
});

const damages = {
  "a text without its record": "DELETE FROM records WHERE record_id = 'a'",
  "a text without chunks": "DELETE FROM chunks",
  "chunks without their text": "DELETE FROM texts",
  "an index segment without blocks": "DELETE FROM blocks",
  "blocks without their segment": "DELETE FROM runs",
  "a record that is not in the index": "DELETE FROM records WHERE record_id = 'c'",
  "a blob without its bytes": "DELETE FROM blob_chunks",
  "a reference to a blob that does not exist": "DELETE FROM blobs",
};
for (const [what, damage] of Object.entries(damages)) {
  testOnEachEngine(`a check finds ${what}`, async ({ store, place }) => {
    await fill(store);
    await run(place, { sqlite: damage, postgres: damage });
    assert.notDeepEqual(await store.check(OWNER), []);
  });
}

async function fill(store: Store): Promise<void> {
  await createOwner(store);
  const blob = await store.putBlob(OWNER, "mail", pieces(), "text/plain");
  await ingest(store, [
    message("a", {
      subject: "first",
      body: "long text ".repeat(3_000),
      label: "red",
      attachment: { ...blob },
    }),
    message("b", {
      subject: "second",
      parts: [{ text: "part ".repeat(2_000) }],
      payload: { x: [1, "y".repeat(5_000)] },
    }),
    message("c", { subject: "third", sent_at: "2026-01-01T00:00:00Z", amount: 1.5 }),
    {
      stream: "labels",
      key: ["x", "1"],
      data: { account: "x", number: 1, name: "label" },
      emitted_at: EMITTED_AT,
    },
    {
      stream: "events",
      key: "e",
      data: { id: "e", at: 7, detail: { lines: [{ text: "line" }] } },
      emitted_at: EMITTED_AT,
    },
  ]);
  await ingest(store, [message("c", { subject: "third again" })]);
}

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("some bytes");
}

async function everything(store: Store): Promise<unknown> {
  const at = { connection_id: "mail", stream: "messages" };
  return [
    await store.listOwners(),
    await store.listManifests(OWNER),
    await store.listConnections(OWNER),
    await store.listRecords(scopeOver(), { ...at, order: "asc", limit: 50 }),
    await store.listChanges(scopeOver(), { ...at, since: 0, limit: 50 }),
    await store.search(scopeOver(), { query: requireQuery("text"), limit: 50 }),
    await store.readField(scopeOver(), refOf("a"), "body", { start: 5_000, end: 9_000 }),
    await store.describeStreams(scopeOver("labels")),
  ];
}

/** Runs a statement behind the store's back. */
async function run({ engine, address }: Place, statements: Record<Place["engine"], string>): Promise<void> {
  if (engine === "sqlite") {
    const database = new DatabaseSync(address);
    database.exec(statements.sqlite);
    database.close();
    return;
  }
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query(statements.postgres);
  await client.end();
}
