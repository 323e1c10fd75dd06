import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../testing/random.ts";
import { DocSet } from "../index/doc-set.ts";
import {
  type ClauseMatches,
  computeContribution,
  computeNorm,
  computeScore,
  DocCounts,
} from "../index/match.ts";
import type { CandidateRequest } from "./candidates.ts";
import { ScoreBounds } from "./clause-scores.ts";

test("R11 a document that can reach a score is never dropped, in dense and in sparse pages, with and without counts", () => {
  const random = new Random(11);
  for (let round = 0; round < 40; round += 1) {
    const { request, scores, total } = createMatches(random);
    const sorted = [...scores.values()].sort((a, b) => b - a);
    for (const share of [0, 0.001, 0.01, 0.3, 1]) {
      const least = sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
      const found = [...new ScoreBounds(request, request.matching, total).listHopeful(() => least)];
      const docs = found.flatMap((batch) => [...batch]);
      assert.deepEqual(
        docs,
        [...new Set(docs)].filter((doc) => request.matching.has(doc)).sort((a, b) => a - b),
      );
      const hopeful = new Set(docs);
      const lost = [...scores].filter(([doc, score]) => score >= least && !hopeful.has(doc));
      assert.deepEqual(lost, [], `round ${round}, ${least}`);
    }
  }
});

test("R11 few of many documents with a common word can be among the best", () => {
  const { request, scores, total } = createMatches(new Random(3), { docs: 40_000, shares: [0.9, 0.5] });
  const sorted = [...scores.values()].sort((a, b) => b - a);
  const bounds = new ScoreBounds(request, request.matching, total);
  const hopeful = [...bounds.listHopeful(() => sorted[20] as number)].flatMap((batch) => [...batch]);
  assert.ok(hopeful.length < 0.05 * scores.size, `${hopeful.length} of ${scores.size}`);
});

/** Clauses as an index would match them, and the true score of each document. */
function createMatches(
  random: Random,
  {
    docs: count = random.int(1, 9_000),
    shares = Array.from({ length: random.int(1, 5) }, () => random.next() ** 3),
  } = {},
) {
  const room = { pages: random.chance(0.2) ? 2 : 1_000 };
  const clauses = shares.map((share) => ({
    clause: { need: random.chance(0.1) ? "required" : "wanted" },
    count: 1,
    weight: 0.1 + 5 * random.next(),
    matches: [{ docs: new DocSet(), counts: new DocCounts(room) }],
    share,
  }));
  const total = clauses.reduce((sum, { weight }) => sum + weight, 0);
  const matching = new DocSet();
  const scores = new Map<number, number>();
  let doc = random.int(0, 5_000);
  for (let at = 0; at < count; at += 1) {
    doc += random.chance(0.01) ? random.int(1, 3_000) : 1;
    const norm = computeNorm(random.int(0, 400));
    const found = clauses.map(({ share }) => random.next() < share);
    const isHidden = random.chance(0.1);
    let sum = 0;
    let covered = 0;
    for (const [number, { weight, matches }] of clauses.entries()) {
      if (!found[number]) continue;
      const { docs, counts } = matches[0] as (typeof matches)[0];
      const times = random.chance(0.02) ? random.int(200, 900) : 1 + Math.floor(8 * random.next() ** 4);
      docs.add(doc);
      counts.add(doc, times);
      sum += computeContribution(weight, times / norm);
      covered += weight;
    }
    if (covered === 0 || isHidden) continue;
    matching.add(doc);
    scores.set(doc, computeScore(sum, covered, total));
  }
  const request = { at: 0, clauses, matching } as unknown as CandidateRequest & {
    readonly clauses: readonly { readonly matches: readonly ClauseMatches[] }[];
  };
  return { request, scores, total };
}
