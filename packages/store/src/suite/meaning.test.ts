/** Hits by meaning: what they show, what they never are, and what moves them (R64). */
import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { factsOf } from "../../../../testing/store/compare.ts";
import { createOwner, ingest, message, OWNER, removal, scopeOver } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";

const CLINIC = "The physician will see you at the clinic on Tuesday.";
const TRAIN = "Our train to the coast leaves at noon.";

function search(store: Store, q: string, scope = scopeOver()) {
  return store.search(scope, { query: requireQuery(q), limit: 10 });
}

testOnEachEngine("R64 a hit without the words shows its similar passage", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { body: CLINIC }), message("b", { body: TRAIN })]);
  const { hits, count } = await search(store, "hospital doctor");
  assert.equal(count, 0);
  assert.deepEqual(
    hits.map(({ record_id }) => record_id),
    ["a"],
  );
  const [hit] = hits;
  assert.deepEqual([hit?.matched_fields, hit?.matched_clauses], [[], []]);
  const { size_chars, digest } = factsOf(CLINIC);
  assert.deepEqual(hit?.proofs, [
    {
      provenance: "similar_passage",
      field_path: "body",
      size_chars,
      digest,
      text: CLINIC,
      text_start_chars: 0,
      matches: [],
    },
  ]);
});

testOnEachEngine("R64 the passage of a long text has its exact range", async ({ store }) => {
  await createOwner(store);
  const body = `${`😀 ${TRAIN} `.repeat(300)}\n${`${CLINIC} `.repeat(18)}\n${`${TRAIN} `.repeat(100)}`;
  await ingest(store, [message("a", { body })]);
  const [hit] = (await search(store, "hospital doctor")).hits;
  const [proof] = hit?.proofs ?? [];
  assert.ok(proof);
  assert.deepEqual([proof.provenance, proof.digest], ["similar_passage", factsOf(body).digest]);
  const end = proof.text_start_chars + Array.from(proof.text).length;
  assert.equal(Array.from(body).slice(proof.text_start_chars, end).join(""), proof.text);
  assert.ok(proof.text.includes(CLINIC));
});

testOnEachEngine("R60 phrases, signs and prefixes find no similar passages", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { body: CLINIC })]);
  for (const q of ['"hospital" doctor', "+hospital", "hospital -doctor", "hospital OR doctor", "hospit*"])
    assert.deepEqual((await search(store, q)).hits, [], q);
});

testOnEachEngine("R17 a passage outside the scope is never similar", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { subject: "Trip", body: CLINIC }), message("b", { body: TRAIN })]);
  for (const limits of [{ fields: ["id", "subject"] }, { record_ids: ["b"] }])
    assert.deepEqual((await search(store, "hospital doctor", scopeOver("messages", limits))).hits, []);
});

testOnEachEngine(
  "a record that is changed, deleted or merged away is not found by its meaning",
  async ({ store }) => {
    await createOwner(store);
    for (let number = 0; number < 40; number += 1)
      await ingest(store, [message(`k${number}`, { body: number % 2 === 0 ? CLINIC : TRAIN })]);
    const all = (await search(store, "hospital doctor")).hits;
    assert.equal(all.length, 10);
    for (let number = 0; number < 40; number += 2)
      await ingest(store, [
        number % 4 === 0 ? removal("messages", `k${number}`) : message(`k${number}`, { body: TRAIN }),
      ]);
    assert.deepEqual((await search(store, "hospital doctor")).hits, []);
    await store.tidy(OWNER);
    assert.deepEqual((await search(store, "hospital doctor")).hits, []);
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine(
  "a store without an embedder ranks by words alone",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a", { body: CLINIC })]);
    assert.deepEqual((await search(store, "hospital doctor")).hits, []);
    assert.equal((await search(store, "clinic")).hits.length, 1);
  },
  { embedder: null },
);
