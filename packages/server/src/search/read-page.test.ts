import assert from "node:assert/strict";
import { test } from "node:test";
import { requireQuery } from "@rungs/evidence";
import type { SearchRequest, StoredHit } from "@rungs/store";
import { readFoldedPage } from "./hits.ts";

const QUOTED = "This sentence is quoted by every reply, and long enough to be compared at all.";

/** Hits whose texts repeat in runs of `run`. */
function createHits(count: number, run: number): StoredHit[] {
  return Array.from({ length: count }, (_, at) => {
    const text = `${QUOTED} ${Math.floor(at / run)}`;
    const proof = { text, text_start_chars: 0, matches: [{ start_chars: 0, end_chars: 4 }] };
    return { record_id: `r${at}`, proofs: [proof], position: { score: -at } } as unknown as StoredHit;
  });
}

/** A store that answers pages of `hits`, and counts them. */
function createSearch(hits: readonly StoredHit[]) {
  const asked: SearchRequest[] = [];
  return {
    asked,
    async search(_scope: unknown, request: SearchRequest) {
      asked.push(request);
      const start = request.after ? -request.after.score + 1 : 0;
      const page = hits.slice(start, start + request.limit);
      const has_more = start + request.limit < hits.length;
      return { hits: page, has_more, count: hits.length, count_all: 0, words: [] };
    },
  };
}

const scope = { owner_id: "me", streams: [] };
const request = { query: requireQuery("this"), limit: 5 };
const chooseProof = (hit: StoredHit) => hit.proofs[0];

test("R67 a page that folding leaves short reads on until it is full", async () => {
  const store = createSearch(createHits(200, 12));
  const page = await readFoldedPage(store, scope, request, chooseProof);
  assert.equal(page.folded.length, 5);
  assert.equal(page.consumed, 60);
  assert.equal(page.last?.record_id, "r59");
  assert.ok(page.has_more && store.asked.length > 1);
});

test("R56 R67 reading on is bounded, and the cursor continues after what was folded", async () => {
  const store = createSearch(createHits(1_000, 1_000));
  const page = await readFoldedPage(store, scope, request, chooseProof);
  assert.equal(page.folded.length, 1);
  assert.equal(store.asked.length, 4);
  assert.equal(page.last?.record_id, `r${page.consumed - 1}`);
  assert.ok(page.has_more);
});

test("R67 the last page ends, folded or not", async () => {
  const few = createSearch(createHits(7, 7));
  assert.equal((await readFoldedPage(few, scope, request, chooseProof)).has_more, false);
  const page = await readFoldedPage(few, scope, { ...request, limit: 7 }, undefined);
  assert.deepEqual([page.folded.length, page.has_more], [7, false]);
});
