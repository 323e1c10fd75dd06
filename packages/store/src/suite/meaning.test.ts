/** Hits by meaning: what they show, what never matches, and what ranks them (R64). */
import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { factsOf } from "../../../../testing/store/compare.ts";
import { createOwner, ingest, message, OWNER, removal, scopeOver } from "../../../../testing/store/world.ts";
import type { SearchMode, SearchRequest, Store } from "../store.ts";

const CLINIC = "The physician will see you at the clinic on Tuesday.";
const TRAIN = "Our train to the coast leaves at noon.";

function search(store: Store, q: string, scope = scopeOver(), more: Partial<SearchRequest> = {}) {
  return store.search(scope, { query: requireQuery(q), limit: 10, ...more });
}

async function list(store: Store, q: string, mode: SearchMode, more: Partial<SearchRequest> = {}) {
  const { hits, count } = await search(store, q, scopeOver(), { mode, ...more });
  return { ids: hits.map(({ record_id }) => record_id), count };
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

testOnEachEngine("R60 phrases, operators and prefixes find no similar passages", async ({ store }) => {
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

testOnEachEngine(
  "R60 R64 a mode searches by words alone, by meaning alone, or by both",
  async ({ store }) => {
    await createOwner(store);
    const both = "The hospital called: the doctor will see you at the clinic.";
    await ingest(store, [
      message("meaning", { body: CLINIC }),
      message("both", { body: both }),
      message("word", { body: `${TRAIN} The doctor platform is number nine, and ${TRAIN}` }),
      message("neither", { body: TRAIN }),
    ]);
    const sorted = async (mode: SearchMode) => {
      const { ids, count } = await list(store, "hospital doctor", mode);
      return { ids: ids.toSorted(), count };
    };
    assert.deepEqual(await sorted("lexical"), { ids: ["both", "word"], count: 2 });
    assert.deepEqual(await sorted("semantic"), { ids: ["both", "meaning"], count: 2 });
    assert.deepEqual((await sorted("hybrid")).ids, ["both", "meaning", "word"]);
    const { hits } = await search(store, "hospital doctor", scopeOver(), { mode: "hybrid" });
    const similar = hits.filter(({ is_similar }) => is_similar).map(({ record_id }) => record_id);
    assert.deepEqual(similar.toSorted(), ["both", "meaning"]);
  },
);

testOnEachEngine(
  "R60 by meaning alone, signs decide, pages neither repeat nor leave out, and passages outside the scope are never near",
  async ({ store }) => {
    await createOwner(store);
    const bodies = Array.from({ length: 23 }, (_, at) =>
      at % 3 === 0 ? `${CLINIC} Room ${at}.` : `${CLINIC} ${at}`,
    );
    await ingest(
      store,
      bodies.map((body, at) => message(`k${at}`, { body })),
    );
    const seen: string[] = [];
    for (let after: SearchRequest["after"]; ; ) {
      const { hits, has_more, count } = await search(store, "hospital doctor", scopeOver(), {
        mode: "semantic",
        limit: 5,
        after,
      });
      assert.equal(count, bodies.length);
      seen.push(...hits.map(({ record_id }) => record_id));
      if (!has_more) break;
      after = hits.at(-1)?.position;
    }
    assert.deepEqual([seen.length, new Set(seen).size], [bodies.length, bodies.length]);
    const rooms = bodies.filter((body) => body.includes("Room")).length;
    assert.equal((await list(store, "hospital doctor +room", "semantic")).count, rooms);
    assert.equal((await list(store, "hospital doctor -room", "semantic")).count, bodies.length - rooms);
    for (const limits of [{ fields: ["id", "subject"] }, { record_ids: ["none"] }]) {
      const hidden = await search(store, "hospital doctor", scopeOver("messages", limits), {
        mode: "semantic",
      });
      assert.deepEqual([hidden.hits, hidden.count], [[], 0]);
    }
  },
);

testOnEachEngine(
  "R65 by meaning alone is refused where nothing compares meaning; by both, the answer says so",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a", { body: CLINIC })]);
    await assert.rejects(list(store, "clinic", "semantic"), { code: "embeddings_unavailable" });
    const { hits, meaning } = await search(store, "clinic", scopeOver(), { mode: "hybrid" });
    assert.deepEqual([hits.length, meaning], [1, { state: "off", compared: 0, of: 1 }]);
  },
  { embedder: null },
);

testOnEachEngine(
  "R56 by meaning alone is refused where too many records would be compared",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a", { body: CLINIC }), message("b", { body: TRAIN })]);
    await assert.rejects(list(store, "clinic", "semantic"), { code: "work_limit_exceeded" });
  },
  { similar_scan: 1 },
);
