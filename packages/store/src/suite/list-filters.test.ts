/** Filters on lists and persons: one of their values equals, or none does (R68). */
import assert from "node:assert/strict";
import type { ManifestStream } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createManifest } from "../../../../testing/store/manifests.ts";
import {
  createOwner,
  ingest,
  message,
  OWNER,
  putConnection,
  scopeOver,
} from "../../../../testing/store/world.ts";
import type { ScalarFilter, Store } from "../store.ts";

const FIELDS = ["id", "body", "to", "people", "from", "scores"];

testOnEachEngine("R68 lists and persons filter by each of their values", async ({ store }) => {
  await openWorld(store);
  const cases: [ScalarFilter, string[]][] = [
    [{ field: "to", op: "=", value: "Ann <ann@x.example>" }, ["a"]],
    [{ field: "to", op: "=", value: "ann@x.example" }, ["a"]],
    [{ field: "to", op: "=", value: "Ann" }, ["a"]],
    [{ field: "to", op: "=", value: "bob@x.example" }, ["a", "b"]],
    [{ field: "to", op: "!=", value: "ann@x.example" }, ["b"]],
    [{ field: "to", op: "=", value: "nn@x.example" }, []],
    [{ field: "people", op: "=", value: "東京太郎" }, ["b"]],
    [{ field: "people", op: "=", value: "cy@x.example" }, ["a", "b"]],
    [{ field: "from", op: "=", value: "Dee" }, ["c"]],
    [{ field: "scores", op: "=", value: 3 }, ["c"]],
  ];
  for (const [filter, wanted] of cases) {
    assert.deepEqual(await list(store, filter), wanted, JSON.stringify(filter));
    assert.deepEqual(await find(store, filter), wanted, JSON.stringify(filter));
  }
});

testOnEachEngine(
  "R68 a list filter sees no field that is not granted, and no list sorts or groups",
  async ({ store }) => {
    await openWorld(store);
    const narrow = scopeOver("messages", { fields: ["id", "body"] });
    const filters = [{ field: "to", op: "=", value: "Ann" }] as const;
    const request = { connection_id: "mail", stream: "messages", order: "asc", limit: 9 } as const;
    await assert.rejects(store.listRecords(narrow, { ...request, filters }), { code: "field_not_granted" });
    await assert.rejects(store.listRecords(wide(), { ...request, order_by: "to" }), {
      code: "invalid_request",
    });
    await assert.rejects(store.aggregate(wide(), { ...request, metric: "count", group_by: "people" }), {
      code: "invalid_request",
    });
  },
);

testOnEachEngine("R68 a changed, deleted or huge list is found by what it has now", async ({ store }) => {
  await openWorld(store);
  const many = Array.from({ length: 5_000 }, (_, at) => `p${at}`);
  await ingest(store, [message("a", { body: "word", to: many }), message("b", { body: "word", to: [] })]);
  const ann = { field: "to", op: "=", value: "Ann" } as const;
  assert.deepEqual(await list(store, ann), []);
  assert.deepEqual(await list(store, { ...ann, value: "p999" }), ["a"]);
  assert.deepEqual(await list(store, { ...ann, value: "p1000" }), []);
  await store.deleteRecord(OWNER, "mail", "messages", "a");
  assert.deepEqual(await list(store, { ...ann, value: "p1" }), []);
  assert.deepEqual(await store.check(OWNER), []);
});

async function openWorld(store: Store): Promise<void> {
  await createOwner(store);
  await store.putManifest(OWNER, createManifest("2", addLists));
  await store.putManifest(OWNER, createManifest("3", declareFilters));
  await putConnection(store, { version: "2" });
  await ingest(store, [
    message("a", {
      body: "word",
      to: ["Ann <ann@x.example>", '"Bob B." <bob@x.example>'],
      people: [{ name: "Cy", address: "cy@x.example" }],
    }),
  ]);
  // A declaration that names them as filterable covers the records that are there.
  await putConnection(store, { version: "3" });
  await ingest(store, [
    message("b", {
      body: "word",
      to: ["bob@x.example", "bob@x.example"],
      people: [{ name: "東京太郎" }, { address: "cy@x.example", deep: { name: "no" } }],
    }),
    message("c", { body: "word", from: { name: "Dee" }, scores: [3, 3, 4] }),
  ]);
}

function addLists(streams: ManifestStream[]): void {
  const messages = streams.find(({ name }) => name === "messages") as ManifestStream;
  const schema = messages.schema as { properties: Record<string, unknown> };
  schema.properties.to = { type: "array", items: { type: "string" } };
  schema.properties.people = { type: ["array", "null"], items: { $ref: "#/$defs/person" } };
  schema.properties.scores = { type: "array", items: { type: "integer" } };
}

function declareFilters(streams: ManifestStream[]): void {
  addLists(streams);
  const messages = streams.find(({ name }) => name === "messages") as ManifestStream;
  messages.query = { ...messages.query, range_filters: ["code", "to", "people", "scores"] };
}

function wide() {
  return scopeOver("messages", { fields: FIELDS });
}

async function list(store: Store, filter: ScalarFilter): Promise<string[]> {
  const request = {
    connection_id: "mail",
    stream: "messages",
    order: "asc",
    limit: 9,
    filters: [filter],
  } as const;
  return (await store.listRecords(wide(), request)).records.map(({ record_id }) => record_id).sort();
}

async function find(store: Store, filter: ScalarFilter): Promise<string[]> {
  const filters = [{ connection_id: "mail", stream: "messages", filters: [filter] }];
  const { hits, count } = await store.search(wide(), { query: requireQuery("word"), limit: 9, filters });
  assert.equal(count, hits.length);
  return hits.map(({ record_id }) => record_id).sort();
}
