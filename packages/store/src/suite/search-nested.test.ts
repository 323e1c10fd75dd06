/** Matches in items of lists and objects, and which paths are searched. */
import assert from "node:assert/strict";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { assertProof, search } from "../../../../testing/store/matching.ts";
import { createOwner, ingest, message, scopeOver } from "../../../../testing/store/world.ts";

testOnEachEngine("R10 matches in nested items are shown at their own paths", async ({ store }) => {
  await createOwner(store);
  const long = `${"padding ".repeat(700)} treasure`;
  await ingest(store, [
    message("short", { parts: [{ text: "nothing" }, { kind: "x", parts: [{ text: "the treasure" }] }] }),
    message("long", { parts: [{ text: "nothing" }, { text: long }, { text: "nothing" }] }),
    message("many", { parts: Array.from({ length: 9 }, (_, at) => ({ text: `treasure ${at}` })) }),
    message("from", { from: { name: "Treasure Hunter", address: "treasure@example.com" } }),
  ]);
  const { hits, count } = await search(store, scopeOver(), "treasure");
  assert.equal(count, 4);
  const paths = Object.fromEntries(
    hits.map((hit) => [hit.record_id, hit.proofs.map(({ field_path }) => field_path)]),
  );
  assert.deepEqual(paths.short, ["parts[1].parts[0].text"]);
  assert.deepEqual(paths.long, ["parts[1].text"]);
  assert.deepEqual(paths.from, ["from.name"]);
  assert.equal(paths.many?.length, 4);
  const proof = hits.find((hit) => hit.record_id === "long")?.proofs[0];
  assert.ok(proof);
  assertProof(proof, long, "treasure");
});

testOnEachEngine("R10 only paths that the manifest declares are searched", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("a", { from: { name: "x", address: "hidden" }, payload: { text: "hidden" }, label: "hidden" }),
    {
      stream: "events",
      key: "e",
      data: { id: "e", detail: { title: "hidden", lines: [{ text: "seen", kind: "hidden" }] } },
      emitted_at: "2026-01-01T00:00:00Z",
    },
  ]);
  assert.equal((await search(store, scopeOver(), "hidden")).count, 0);
  assert.equal((await search(store, scopeOver("events"), "hidden")).count, 0);
  const { hits } = await search(store, scopeOver("events"), "seen");
  assert.deepEqual(hits[0]?.proofs[0]?.field_path, "detail.lines[0].text");
});

testOnEachEngine("a phrase does not match across items", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("a", {
      subject: "left",
      body: "right",
      parts: [{ text: "one" }, { text: "two three" }, { text: "four".concat(" x".repeat(5_000)) }],
    }),
  ]);
  for (const q of ['"left right"', '"one two"', '"three four"'])
    assert.equal((await search(store, scopeOver(), q)).count, 0, q);
  for (const q of ["left right", "one four", '"two three"'])
    assert.equal((await search(store, scopeOver(), q)).count, 1, q);
});
