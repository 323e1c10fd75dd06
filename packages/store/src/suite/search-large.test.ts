import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { assertProof, placesIn, search } from "../../../../testing/store/matching.ts";
import { createOwner, ingest, message, OWNER, refOf, scopeOver } from "../../../../testing/store/world.ts";

testOnEachEngine(
  "R10 a field of several megabytes is searchable to its last character",
  async ({ store }) => {
    await createOwner(store);
    const filler = "the quick brown fox jumps over the lazy dog and goes on; ".repeat(12_000);
    const body = `alphaword ${filler}midword ${filler}${filler}"last phrase" 終了`;
    await ingest(store, [
      message("before", { body: "alphaword" }),
      message("big", { body }),
      message("after", { body: "終了" }),
    ]);
    for (const [q, ids] of [
      ["alphaword", ["before", "big"]],
      ["midword", ["big"]],
      ['"last phrase"', ["big"]],
      ["終了", ["after", "big"]],
      ["了", ["after", "big"]],
      ['"on midword the"', ["big"]],
      ["+alphaword +midword +終了", ["big"]],
      ['"phrase last"', []],
    ] as const) {
      const page = await search(store, scopeOver(), q);
      assert.deepEqual(page.hits.map(({ record_id }) => record_id).sort(), ids, q);
      const big = page.hits.find(({ record_id }) => record_id === "big");
      if (!big) continue;
      const [proof] = big.proofs;
      assert.ok(proof, q);
      assertProof(proof, body, q);
      const place = await store.findInField(scopeOver(), refOf("big"), "body", requireQuery(q));
      assert.ok(place.found, q);
    }
    const count = placesIn(body, "fox").length;
    const { hits } = await search(store, scopeOver(), "fox");
    assert.equal(count, 36_000);
    assert.equal(hits.length, 1);
    assert.deepEqual(await store.check(OWNER), []);
    await ingest(store, [message("big", { body: "small now" })]);
    await store.tidy(OWNER);
    assert.equal((await search(store, scopeOver(), "midword")).count, 0);
    assert.equal((await search(store, scopeOver(), "alphaword")).count, 1);
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine(
  "R10 a long text that ends in blanks leaves no empty entries in the index",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("big", { body: `${"a ".repeat(1 << 19)}${" ".repeat(20_000)}` })]);
    assert.deepEqual(await store.check(OWNER), []);
    assert.equal((await search(store, scopeOver(), "a")).count, 1);
  },
);

testOnEachEngine("R10 every word is found at any chunk border", async ({ store }) => {
  await createOwner(store);
  const words = Array.from({ length: 4_000 }, (_, at) => `w${at.toString(36)}`);
  const long = "l".repeat(200);
  const dense = "春夏秋冬東西南北上下左右".repeat(700);
  const body = `${words.join(" ")} ${long}${long} ${dense}`;
  await ingest(store, [message("a", { body })]);
  const borders = new Set<number>();
  let at = 0;
  for (const [number, word] of words.entries()) {
    if (Math.floor(at / 4_096) !== Math.floor((at + word.length + 8) / 4_096) || number % 401 === 0)
      borders.add(number);
    at += word.length + 1;
  }
  for (const number of borders) {
    const pair = words.slice(Math.max(0, number - 1), number + 2);
    for (const q of [...pair, `"${pair.join(" ")}"`]) {
      const { hits } = await search(store, scopeOver(), q);
      assert.deepEqual(hits[0]?.proofs[0]?.matches, placesIn(body, q), q);
    }
  }
  for (const q of [`${long}${long}`, "冬東", "右春夏", "左右春夏秋冬東西南北上下左右春"]) {
    const { hits } = await search(store, scopeOver(), q);
    assert.ok(hits[0]?.proofs[0], q);
    assertProof(hits[0].proofs[0], body, q);
    const found = [];
    const wanted = placesIn(body, q).filter((_, number) => number % 97 === 0);
    for (const { start_chars } of wanted) {
      const match = await store.findInField(scopeOver(), refOf("a"), "body", requireQuery(q), start_chars);
      found.push(match.found ? { start_chars: match.start_chars, end_chars: match.end_chars } : undefined);
    }
    assert.deepEqual(found, wanted, q);
  }
});

testOnEachEngine("R23 a prefix with many completions is found at the record's word", async ({ store }) => {
  await createOwner(store);
  const many = Array.from({ length: 400 }, (_, at) => `pre${String(at).padStart(3, "0")}`);
  const long = `${"filler ".repeat(1_000)}pre350 ${"filler ".repeat(1_000)}`;
  await ingest(store, [
    message("a", { body: many.join(" ") }),
    message("target", { body: long }),
    message("z", { body: many.join(" ") }),
  ]);
  const { hits, count } = await search(store, scopeOver(), "pre*");
  assert.equal(count, 3);
  const proof = hits.find(({ record_id }) => record_id === "target")?.proofs[0];
  assert.deepEqual(proof?.matches, placesIn(long, "pre*"));
  for (const q of ["pre*", '"filler pre*"']) {
    const match = await store.findInField(scopeOver(), refOf("target"), "body", requireQuery(q));
    assert.ok(match.found, q);
  }
});

testOnEachEngine("R23 the longest phrase is found across any chunk border", async ({ store }) => {
  await createOwner(store);
  const words = Array.from({ length: 60 }, (_, at) => `phrase${at.toString(36)}`);
  const q = `"${words.join(" ")}"`;
  for (const before of [3_600, 3_800, 4_000, 4_090, 8_000]) {
    const body = `${"x ".repeat(before / 2)}${words.join("\u00a0 … ")}${" y".repeat(3_000)}`;
    await ingest(store, [message("a", { body })]);
    const { hits } = await search(store, scopeOver(), q);
    assert.deepEqual(hits[0]?.proofs[0]?.matches, placesIn(body, q), `after ${before}`);
    const match = await store.findInField(scopeOver(), refOf("a"), "body", requireQuery(q));
    assert.equal(match.found && match.start_chars, before);
  }
});
