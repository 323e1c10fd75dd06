import assert from "node:assert/strict";
import type { ManifestStream } from "@rungs/contract";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createManifest, SOURCE_ID } from "../../../../testing/store/manifests.ts";
import {
  createOwner,
  ingest,
  message,
  OWNER,
  putConnection,
  refOf,
  scopeOver,
} from "../../../../testing/store/world.ts";
import { assertRefused } from "./refusals.ts";

testOnEachEngine("owners are created once and listed in order of creation", async ({ store }) => {
  assert.deepEqual(await store.listOwners(), []);
  for (const owner of ["me", "you", "me"]) await store.putOwner(owner);
  assert.deepEqual(await store.listOwners(), ["me", "you"]);
});

testOnEachEngine("every call for an unknown owner is not_found", async ({ store }) => {
  const scope = scopeOver("messages", {}, "nobody");
  await assertRefused(store.putManifest("nobody", createManifest()), "not_found");
  await assertRefused(store.listConnections("nobody"), "not_found");
  await assertRefused(store.ingest("nobody", "mail", []), "not_found");
  await assertRefused(store.getRecord(scope, refOf("a")), "not_found");
  await assertRefused(store.describeStreams(scope), "not_found");
});

testOnEachEngine("every version of a manifest is stored unchanged", async ({ store }) => {
  await store.putOwner(OWNER);
  const versions = ["2", "1", "1.0-β"].map((version) => createManifest(version));
  for (const manifest of versions) await store.putManifest(OWNER, manifest);
  for (const manifest of versions) {
    assert.deepEqual(await store.getManifest(OWNER, SOURCE_ID, manifest.declaration_version), manifest);
  }
  assert.deepEqual(
    (await store.listManifests(OWNER)).map(({ declaration_version }) => declaration_version),
    ["1", "1.0-β", "2"],
  );
  assert.equal(await store.getManifest(OWNER, SOURCE_ID, "3"), undefined);
  assert.equal(await store.getManifest(OWNER, "https://rungs.example/other", "1"), undefined);
});

testOnEachEngine(
  "the same version with other content is refused, and the first one stays",
  async ({ store }) => {
    await store.putOwner(OWNER);
    await store.putManifest(OWNER, createManifest());
    await store.putManifest(OWNER, createManifest());
    const other = createManifest("1", (streams) => streams.pop());
    const refusal = await assertRefused(store.putManifest(OWNER, other), "manifest_conflict");
    assert.equal(refusal.details.param, "declaration_version");
    assert.deepEqual(await store.getManifest(OWNER, SOURCE_ID, "1"), createManifest());
  },
);

testOnEachEngine("manifests and connections belong to one owner", async ({ store }) => {
  await createOwner(store);
  await store.putOwner("you");
  assert.deepEqual(await store.listManifests("you"), []);
  assert.deepEqual(await store.listConnections("you"), []);
  await assertRefused(putConnection(store, { owner_id: "you" }), "invalid_manifest");
  await store.putManifest(
    "you",
    createManifest("1", (streams) => streams.pop()),
  );
});

testOnEachEngine("connections are listed by id, and a second call changes the label", async ({ store }) => {
  await createOwner(store, { connections: ["work", "home"] });
  await putConnection(store, { connection_id: "work", display_name: "Büro 🏢" });
  const listed = await store.listConnections(OWNER);
  assert.deepEqual(
    listed.map(({ connection_id, display_name }) => [connection_id, display_name]),
    [
      ["home", "Mail"],
      ["work", "Büro 🏢"],
    ],
  );
  assert.ok(listed.every(({ created_at }) => !Number.isNaN(Date.parse(created_at))));
});

testOnEachEngine("a connection keeps its source, and needs a stored manifest", async ({ store }) => {
  await createOwner(store);
  const missing = await assertRefused(putConnection(store, { version: "9" }), "invalid_manifest");
  assert.equal(missing.details.param, "declaration_version");
  const other = {
    ...createManifest(),
    source: { kind: "connector" as const, id: "https://rungs.example/other" },
  };
  await store.putManifest(OWNER, other);
  const moved = store.putConnection(OWNER, {
    connection_id: "mail",
    source_id: other.source.id,
    declaration_version: "1",
    display_name: "Other",
  });
  const refusal = await assertRefused(moved, "connection_exists");
  assert.equal(refusal.details.param, "connection_id");
  assert.equal((await store.listConnections(OWNER))[0]?.source_id, SOURCE_ID);
});

testOnEachEngine("a connection that moves to another version keeps its records", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { subject: "before", label: "old" })]);
  await store.putManifest(OWNER, createManifest("2", addColour));
  await putConnection(store, { version: "2" });
  await ingest(store, [message("b", { subject: "after", colour: "red" })]);
  const scope = scopeOver("messages", { fields: ["id", "subject", "label", "colour"] });
  assert.deepEqual((await store.getRecord(scope, refOf("a")))?.data, {
    id: "a",
    subject: "before",
    label: "old",
  });
  assert.deepEqual((await store.getRecord(scope, refOf("b")))?.data, {
    id: "b",
    subject: "after",
    colour: "red",
  });
  const filters = [{ field: "colour", op: "=" as const, value: "red" }];
  const page = await store.listRecords(scope, { ...refOf(""), order: "asc", limit: 9, filters });
  assert.deepEqual(
    page.records.map(({ record_id }) => record_id),
    ["b"],
  );
  assert.deepEqual(await store.check(OWNER), []);
});

testOnEachEngine("a stream that a later version adds can be written to", async ({ store }) => {
  await store.putOwner(OWNER);
  await store.putManifest(
    OWNER,
    createManifest("1", (streams) => streams.splice(1)),
  );
  await putConnection(store);
  const label = {
    stream: "labels",
    key: ["a", "1"],
    data: { account: "a", number: 1, name: "x" },
    emitted_at: "2026-01-01T00:00:00Z",
  };
  const [early] = await store.ingest(OWNER, "mail", [label]);
  assert.equal(early?.status === "rejected" && early.code, "unknown_stream");
  await store.putManifest(OWNER, createManifest("2"));
  await putConnection(store, { version: "2" });
  const [late] = await store.ingest(OWNER, "mail", [label]);
  assert.equal(late?.status, "added");
});

function addColour(streams: ManifestStream[]): void {
  const { schema } = streams[0] as ManifestStream;
  (schema as { properties: Record<string, unknown> }).properties.colour = { type: "string" };
}
