/** Finds the best documents of an index, a page of documents at a time, so that memory does not grow with the number of matches. */
import { DocSet } from "../index/doc-set.ts";
import { type ClauseMatches, computeScore } from "../index/match.ts";
import { ClauseScorer, ScoreBounds } from "./clause-scores.ts";
import { isScored, type MatchedClause } from "./clauses.ts";
import { createOrder, type ScopedIndex } from "./scoped-index.ts";
import { type BestCandidates, BestScores } from "./select-best.ts";

/** From this many matching documents on, score some with the heaviest word first, to get a high threshold. */
const SEEDED_DOCS = 16_384;
const SEEDS_PER_HIT = 4;

/** A query against one index. */
export interface CandidateRequest {
  readonly index: ScopedIndex;
  /** The number of the index among those searched. */
  readonly at: number;
  readonly clauses: readonly MatchedClause[];
  /** The documents that `listMatching` lists. */
  readonly matching: DocSet;
}

/** The weight of all clauses that some record has. */
export function sumWeights(clauses: readonly MatchedClause[]): number {
  return clauses.reduce((sum, one) => (isScored(one) ? sum + one.weight : sum), 0);
}

/** A query against one index, before its documents are known. */
type Asked = Pick<CandidateRequest, "at" | "clauses">;

function setsOf({ at, clauses }: Asked, need: MatchedClause["clause"]["need"]): DocSet[] {
  return clauses
    .filter(({ clause }) => clause.need === need)
    .map(({ matches }) => (matches[at] as ClauseMatches).docs);
}

/** Every document that matches all required clauses, no excluded one, and at least one clause in total. */
export function listMatching(request: Asked): DocSet {
  const required = setsOf(request, "required");
  const found = new DocSet();
  for (const docs of required.length > 0 ? required.slice(0, 1) : setsOf(request, "wanted"))
    found.unite(docs);
  for (const docs of required.slice(1)) found.intersect(docs);
  for (const docs of setsOf(request, "excluded")) found.subtract(docs);
  return found;
}

/** Whether a document has every required clause, and no excluded one. */
export function meetsSigns(request: CandidateRequest, doc: number): boolean {
  return (
    setsOf(request, "required").every((docs) => docs.has(doc)) &&
    !setsOf(request, "excluded").some((docs) => docs.has(doc))
  );
}

/** Every document that matches all clauses that are not light. */
export function listWithAll({ clauses, ...request }: CandidateRequest): DocSet {
  const telling = { ...request, clauses: clauses.filter(({ isLight }) => !isLight) };
  const [first, ...others] = [...setsOf(telling, "wanted"), ...setsOf(telling, "required")];
  const found = new DocSet().unite(first as DocSet);
  for (const docs of others) found.intersect(docs);
  for (const docs of setsOf(telling, "excluded")) found.subtract(docs);
  return found;
}

/** For each of `docs`, the weight of the clauses that it has. */
function weigh({ at, clauses }: CandidateRequest, docs: Uint32Array): Float64Array {
  const covered = new Float64Array(docs.length);
  for (const one of clauses) {
    if (!isScored(one)) continue;
    const { docs: having } = one.matches[at] as ClauseMatches;
    for (let place = 0; place < docs.length; place += 1)
      if (having.has(docs[place] as number)) covered[place]! += one.weight;
  }
  return covered;
}

/** Offers the matching documents that may be among the best, with their scores; leaves out `taken`. */
export async function offerBest(
  request: CandidateRequest,
  best: BestCandidates,
  total: number,
  taken?: DocSet,
): Promise<void> {
  const matching = taken ? new DocSet().unite(request.matching).subtract(taken) : request.matching;
  const orderOf = createOrder(request.index);
  const scorer = new ClauseScorer(request);
  const seeded = best.isFirstPage ? await findSeedThreshold(request, matching, best.count, total) : 0;
  const bounds = new ScoreBounds(request, matching, total);
  for (const docs of bounds.listHopeful(() => Math.max(best.threshold, seeded)))
    await best.offer(request.at, docs, await scoreDocs(request, scorer, docs, total), orderOf);
}

/** Offers the matching documents whose words weigh at least `least`, all with the same score. */
export async function offerCovering(
  request: CandidateRequest,
  best: BestCandidates,
  least: number,
): Promise<void> {
  const orderOf = createOrder(request.index);
  for (const docs of request.matching.listBatches()) {
    const covered = weigh(request, docs);
    const enough = docs.filter((_, place) => (covered[place] as number) >= least);
    await best.offer(request.at, enough, new Float64Array(enough.length), orderOf);
  }
}

/** A lower bound of the best `count` scores, from a few documents with the heaviest word. */
async function findSeedThreshold(
  request: CandidateRequest,
  matching: DocSet,
  count: number,
  total: number,
): Promise<number> {
  if (matching.size < SEEDED_DOCS) return 0;
  const heaviest = request.clauses.filter(isScored).toSorted((a, b) => b.weight - a.weight)[0];
  if (!heaviest) return 0;
  const { docs } = heaviest.matches[request.at] as ClauseMatches;
  const seeds: number[] = [];
  for (const page of docs.listBatches()) {
    if (seeds.length >= SEEDS_PER_HIT * count) break;
    seeds.push(...page.filter((doc) => matching.has(doc)));
  }
  const some = Uint32Array.from(seeds.slice(0, SEEDS_PER_HIT * count));
  const best = new BestScores(count);
  for (const score of await scoreDocs(request, new ClauseScorer(request), some, total)) best.add(score);
  return best.least;
}

async function scoreDocs(
  { clauses }: CandidateRequest,
  scorer: ClauseScorer,
  docs: Uint32Array,
  total: number,
): Promise<Float64Array> {
  const sums = new Float64Array(docs.length);
  const covered = new Float64Array(docs.length);
  const contributions = await scorer.score(docs);
  // In clause order, so that the sum is always the same to the last bit.
  for (const [number, { weight }] of clauses.entries()) {
    const added = contributions[number] as Float64Array;
    for (let place = 0; place < docs.length; place += 1) {
      if (added[place] === 0) continue;
      sums[place]! += added[place] as number;
      covered[place]! += weight;
    }
  }
  return sums.map((sum, place) => computeScore(sum, covered[place] as number, total));
}
