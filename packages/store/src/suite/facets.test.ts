/** Counts of the matching records by source, month and author, under the grant (R68). */
import assert from "node:assert/strict";
import { type ManifestStream, parseTimeMs } from "@rungs/contract";
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
import type { Store } from "../store.ts";

const FIELDS = ["id", "body", "writer", "sent_at"];

testOnEachEngine("R68 facets count the matching records by source, month and author", async ({ store }) => {
  await openWorld(store);
  assert.deepEqual(await facetsOf(store, "kiln", FIELDS), {
    is_complete: true,
    sources: [{ connection_id: "mail", stream: "messages", count: 4 }],
    months: [
      { month: "2026-05", count: 1 },
      { month: "2026-04", count: 2 },
    ],
    people: [
      { field: "writer", value: "Ann", count: 2 },
      { field: "writer", value: "東京 太郎 😀", count: 1 },
    ],
  });
  assert.deepEqual(await facetsOf(store, "absent", FIELDS), {
    is_complete: true,
    sources: [],
    months: [],
    people: [],
  });
});

testOnEachEngine(
  "R17 R68 facets count no author, month or record that the grant hides",
  async ({ store }) => {
    await openWorld(store);
    const { months, people, sources } = await facetsOf(store, "kiln", ["id", "body"]);
    assert.deepEqual([months, people, sources[0]?.count], [[], [], 4]);
    const time = { since_ms: parseTimeMs("2026-05-01") as number };
    const narrow = await facetsOf(store, "kiln", FIELDS, { time });
    assert.deepEqual(
      [narrow.sources[0]?.count, narrow.months, narrow.people.map(({ value }) => value)],
      [1, [{ month: "2026-05", count: 1 }], ["東京 太郎 😀"]],
    );
  },
);

async function openWorld(store: Store): Promise<void> {
  await createOwner(store);
  await store.putManifest(OWNER, createManifest("2", addWriter));
  await putConnection(store, { version: "2" });
  const long = "x".repeat(2_000);
  await ingest(store, [
    message("a", { body: "kiln", writer: "Ann", sent_at: "2026-04-30T23:59:59Z" }),
    message("b", { body: "kiln", writer: "Ann", sent_at: "2026-04-01T00:00:00Z" }),
    message("c", { body: "kiln", writer: "東京 太郎 😀", sent_at: "2026-05-01T00:00:00Z" }),
    message("d", { body: "kiln", writer: long }),
    message("e", { body: "oven", writer: "Bob", sent_at: "2026-05-02T00:00:00Z" }),
  ]);
}

function addWriter(streams: ManifestStream[]): void {
  const messages = streams.find(({ name }) => name === "messages") as ManifestStream;
  const { properties } = messages.schema as { properties: Record<string, unknown> };
  properties.writer = { type: "string", x_pdpp_role: "actor" };
}

async function facetsOf(store: Store, q: string, fields: string[], limits = {}) {
  const scope = scopeOver("messages", { fields, ...limits });
  const { facets } = await store.search(scope, { query: requireQuery(q), limit: 2, facets: true });
  assert.ok(facets);
  return facets;
}
