/**
 * Finds the documents that match a query, with their scores: clause by clause, the rarest first. When only the best are
 * wanted, a clause that cannot lift a new document among them only adds to the documents found so far (MaxScore), so that
 * common words cost little.
 */
import { ColumnKind } from "../index/keys.ts";
import { lowerBound } from "../index/list-ranges.ts";
import { intersect, type Postings, subtract, unite } from "../index/postings.ts";
import { boundContribution, computeContribution, computeNorm } from "../index/rank.ts";
import { BestScores } from "./best-scores.ts";
import type { MatchedClause } from "./clauses.ts";
import type { ScopedIndex } from "./scoped-index.ts";

/** The weight of coverage: a document with all the words scores up to this many times more. */
const COORDINATION = 1;
/** From this ratio of lengths on, the longer list is searched and not walked. */
const SEEK_RATIO = 16;
/** Sums in another order differ by rounding: documents this close to the threshold are kept. */
const ROUNDING = 1 - 1e-9;

/** Documents with the sum of what each clause adds, and the weight of the clauses that they have. */
export interface Candidates {
  readonly docs: Uint32Array;
  readonly sums: Float64Array;
  readonly covered: Float64Array;
}

/** A query against one index. */
export interface CandidateRequest {
  readonly index: ScopedIndex;
  /** The number of the index among those searched. */
  readonly at: number;
  readonly clauses: readonly MatchedClause[];
}

/** The score of a document whose clauses add up to `sum` and weigh `covered` of `total`. */
export function computeScore(sum: number, covered: number, total: number): number {
  return total === 0 ? 0 : sum * (1 + (COORDINATION * covered) / total);
}

/** The weight of all clauses that some record has. */
export function sumWeights(clauses: readonly MatchedClause[]): number {
  return clauses.reduce((sum, one) => (counts(one) ? sum + one.weight : sum), 0);
}

function counts({ clause, count }: MatchedClause): boolean {
  return clause.need !== "excluded" && count > 0;
}

/** Every document that matches all required clauses, no excluded one, and at least one clause in total, ascending. */
export function listMatching({ at, clauses }: CandidateRequest): Uint32Array {
  const docsOf = (need: MatchedClause["clause"]["need"]) =>
    clauses
      .filter(({ clause }) => clause.need === need)
      .map(({ matches }) => matches[at]?.docs as Uint32Array);
  const required = docsOf("required");
  const found = required.length > 0 ? required.reduce(intersect) : unite(docsOf("wanted"));
  return subtract(found, unite(docsOf("excluded")));
}

/** Whether `listMatching` lists a document. */
export function isMatching({ at, clauses }: CandidateRequest, doc: number): boolean {
  const has = ({ matches }: MatchedClause) => {
    const docs = matches[at]?.docs as Uint32Array;
    return docs[lowerBound(docs, doc)] === doc;
  };
  const withNeed = (need: MatchedClause["clause"]["need"]) =>
    clauses.filter(({ clause }) => clause.need === need);
  if (withNeed("excluded").some(has)) return false;
  const required = withNeed("required");
  return required.length > 0 ? required.every(has) : withNeed("wanted").some(has);
}

/** Every document that matches all clauses, ascending. */
export function listWithAll({ at, clauses }: CandidateRequest): Uint32Array {
  const all = clauses.filter(({ clause }) => clause.need !== "excluded");
  const found = all.map(({ matches }) => matches[at]?.docs as Uint32Array);
  const excluded = clauses.filter(({ clause }) => clause.need === "excluded");
  return subtract(
    found.toSorted((a, b) => a.length - b.length).reduce(intersect),
    unite(excluded.map(({ matches }) => matches[at]?.docs as Uint32Array)),
  );
}

/** The contribution of each scoring clause to each of `docs` (ascending), in clause order. */
export async function scoreClauses(request: CandidateRequest, docs: Uint32Array): Promise<Float64Array[]> {
  const contributions: Float64Array[] = [];
  for (const one of request.clauses) contributions.push(await scoreClause(request, one, docs));
  return contributions;
}

/** Adds up the contributions in clause order, so that the sum is always the same to the last bit. */
function addContributions(
  clauses: readonly MatchedClause[],
  contributions: readonly Float64Array[],
  docs: Uint32Array,
): Candidates {
  const sums = new Float64Array(docs.length);
  const covered = new Float64Array(docs.length);
  for (const [at, { weight }] of clauses.entries())
    addTo(sums, covered, contributions[at] as Float64Array, weight);
  return { docs, sums, covered };
}

/** All matching documents with their scores. */
export async function scoreAll(request: CandidateRequest): Promise<Candidates> {
  const docs = listMatching(request);
  return addContributions(request.clauses, await scoreClauses(request, docs), docs);
}

/** At least the best `count` documents with their scores; `floor` is a score that `count` documents of other indexes have. */
export async function scoreBest(
  request: CandidateRequest,
  count: number,
  total: number,
  floor: number,
): Promise<Candidates & { readonly floor: number }> {
  const { at, clauses } = request;
  const hasRequired = clauses.some(({ clause }) => clause.need === "required");
  const ordered = clauses.filter(counts).toSorted((a, b) => b.weight - a.weight);
  const excluded = unite(
    clauses
      .filter(({ clause }) => clause.need === "excluded")
      .map(({ matches }) => matches[at]?.docs as Uint32Array),
  );
  let found: Candidates = emptyCandidates(hasRequired ? listMatching(request) : new Uint32Array(0));
  let takesNew = !hasRequired;
  let threshold = floor;
  for (const [number, one] of ordered.entries()) {
    const left = ordered.slice(number);
    if (takesNew && boundScore(left, total) < threshold * ROUNDING) takesNew = false;
    if (takesNew) found = widen(found, subtract(one.matches[at]?.docs as Uint32Array, excluded));
    addTo(found.sums, found.covered, await scoreClause(request, one, found.docs), one.weight);
    threshold = Math.max(threshold, findThreshold(found, count, total));
    if (!takesNew) found = dropHopeless(found, ordered.slice(number + 1), total, threshold * ROUNDING);
  }
  const { docs } = dropHopeless(found, [], total, threshold * ROUNDING);
  const exact = addContributions(clauses, await scoreClauses(request, docs), docs);
  return { ...exact, floor: threshold };
}

function emptyCandidates(docs: Uint32Array): Candidates {
  return { docs, sums: new Float64Array(docs.length), covered: new Float64Array(docs.length) };
}

function addTo(sums: Float64Array, covered: Float64Array, contributions: Float64Array, weight: number): void {
  for (let number = 0; number < sums.length; number += 1) {
    const added = contributions[number] as number;
    if (added === 0) continue;
    sums[number]! += added;
    covered[number]! += weight;
  }
}

function widen(found: Candidates, more: Uint32Array): Candidates {
  const docs = unite([found.docs, more]);
  if (docs.length === found.docs.length) return found;
  const wider = emptyCandidates(docs);
  for (let at = 0, from = 0; from < found.docs.length; from += 1) {
    while (docs[at] !== found.docs[from]) at += 1;
    wider.sums[at] = found.sums[from] as number;
    wider.covered[at] = found.covered[from] as number;
  }
  return wider;
}

/** More than a document can score that has none of the clauses so far and may have all that are left. */
function boundScore(left: readonly MatchedClause[], total: number): number {
  const weight = sumWeights(left);
  return computeScore(boundContribution(weight), weight, total);
}

/** A lower bound for the scores of the best `count`: they can only gain. */
function findThreshold({ sums, covered }: Candidates, count: number, total: number): number {
  const best = new BestScores(count);
  for (let at = 0; at < sums.length; at += 1)
    best.add(computeScore(sums[at] as number, covered[at] as number, total));
  return best.least;
}

function dropHopeless(
  found: Candidates,
  left: readonly MatchedClause[],
  total: number,
  threshold: number,
): Candidates {
  const weight = sumWeights(left);
  const most = boundContribution(weight);
  const docs = found.docs.slice();
  const sums = found.sums.slice();
  const covered = found.covered.slice();
  let length = 0;
  for (let at = 0; at < docs.length; at += 1) {
    const [sum, share] = [sums[at] as number, covered[at] as number];
    if (computeScore(sum + most, share + weight, total) < threshold) continue;
    docs[length] = docs[at] as number;
    sums[length] = sum;
    covered[length++] = share;
  }
  return {
    docs: docs.subarray(0, length),
    sums: sums.subarray(0, length),
    covered: covered.subarray(0, length),
  };
}

/** The contribution of a clause to each of `docs`; 0 where it does not match. */
async function scoreClause(
  request: CandidateRequest,
  one: MatchedClause,
  docs: Uint32Array,
): Promise<Float64Array> {
  const added = new Float64Array(docs.length);
  const matches = one.matches[request.at];
  if (!counts(one) || docs.length === 0 || !matches) return added;
  const { byField: exact } = matches.exact;
  const scored = [{ byField: exact, weight: one.weight }];
  if (matches.byField !== exact) scored.push({ byField: matches.byField, weight: one.formWeight });
  for (const { byField, weight } of scored) {
    const frequencies = await countFrequencies(request, byField, docs);
    for (let place = 0; place < docs.length; place += 1) {
      const frequency = frequencies[place] as number;
      if (frequency > 0)
        added[place] = Math.max(added[place] as number, computeContribution(weight, frequency));
    }
  }
  return added;
}

/** How often each of `docs` has a clause, over all fields, each by its weight and its length. */
async function countFrequencies(
  { index }: CandidateRequest,
  byField: ReadonlyMap<number, Postings>,
  docs: Uint32Array,
): Promise<Float64Array> {
  const frequencies = new Float64Array(docs.length);
  for (const { number, weight } of index.fields) {
    const postings = byField.get(number);
    if (!postings) continue;
    const { places, found } = findPostings(postings, docs);
    // A loop: `Uint32Array.from` calls a function for each, and most of the time goes here.
    const having = new Uint32Array(places.length);
    for (let each = 0; each < places.length; each += 1) having[each] = docs[places[each] as number] as number;
    const lengths = await index.columns.column(ColumnKind.length, number, having);
    for (let each = 0; each < places.length; each += 1) {
      const count = postings.counts[found[each] as number] as number;
      frequencies[places[each] as number]! += (weight * count) / computeNorm(lengths[each] as number);
    }
  }
  return frequencies;
}

/** The places in `docs` of the documents that have a posting, and the places of their postings. */
function findPostings(postings: Postings, docs: Uint32Array): { places: Uint32Array; found: Uint32Array } {
  const size = Math.min(docs.length, postings.docs.length);
  const places = new Uint32Array(size);
  const found = new Uint32Array(size);
  let length = 0;
  const seeks = docs.length * SEEK_RATIO < postings.docs.length;
  for (let place = 0, at = 0; place < docs.length && at < postings.docs.length; place += 1) {
    const doc = docs[place] as number;
    if (seeks) at = lowerBound(postings.docs, doc);
    else while (at < postings.docs.length && (postings.docs[at] as number) < doc) at += 1;
    if (postings.docs[at] !== doc) continue;
    places[length] = place;
    found[length++] = at;
  }
  return { places: places.subarray(0, length), found: found.subarray(0, length) };
}
