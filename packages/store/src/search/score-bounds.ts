/**
 * The most that documents can score, by how often they have each clause: only those that can reach the best so far are scored
 * (MaxScore with a bound for each document). So common words cost little.
 */
import { type DocCounts, MOST_COUNT } from "../index/doc-counts.ts";
import { type DocSet, PAGE_DOCS } from "../index/doc-set.ts";
import type { ClauseMatches } from "../index/match.ts";
import { boundContribution, computeContribution, computeScore, LEAST_NORM } from "../index/rank.ts";
import type { CandidateRequest } from "./candidates.ts";
import { isScored } from "./clauses.ts";

/** Sums in another order differ by rounding: documents this close to the threshold are kept. */
const ROUNDING = 1 - 1e-9;
/** A batch of documents has at least so many, but for the last: each has its cost. */
const LEAST_BATCH = 256;
/** In pages with so many documents, all counts are looked at. */
const DENSE_DOCS = 512;

interface BoundClause {
  readonly weight: number;
  readonly docs: DocSet;
  /** Undefined when there was no room for them. */
  readonly counts: DocCounts | undefined;
  /** The most that it adds to a document that has it so often. */
  readonly most: Float64Array;
  /** The least count of a document that can reach the threshold, if it has all other clauses as often as can be. */
  least: number;
}

/** A clause with its counts in one page. */
type PageClause = Omit<BoundClause, "counts"> & { readonly counts: Uint8ClampedArray };

const NO_COUNTS = new Uint8ClampedArray(0);

export class ScoreBounds {
  readonly #matching: DocSet;
  readonly #clauses: readonly BoundClause[];
  readonly #total: number;
  #threshold = -1;

  /** `matching` are the documents to score; `total` is the weight of all clauses. */
  constructor({ at, clauses }: CandidateRequest, matching: DocSet, total: number) {
    this.#matching = matching;
    this.#total = total;
    this.#clauses = clauses
      .filter(isScored)
      .toSorted((a, b) => b.weight - a.weight)
      .map(({ weight, matches }) => {
        const { docs, counts } = matches[at] as ClauseMatches;
        return { weight, docs, counts, most: boundCounts(weight), least: 0 };
      });
  }

  /** The documents that can score at least `findLeast()`, ascending, a batch at a time. */
  *listHopeful(findLeast: () => number): Generator<Uint32Array> {
    let docs: number[] = [];
    for (const page of this.#matching.listPages()) {
      this.#raise(findLeast() * ROUNDING);
      const own = this.#listPage(page);
      if (docs.length === 0 && own.length >= LEAST_BATCH) yield own;
      else docs.push(...own);
      if (docs.length < LEAST_BATCH) continue;
      yield Uint32Array.from(docs);
      docs = [];
    }
    if (docs.length > 0) yield Uint32Array.from(docs);
  }

  #raise(threshold: number): void {
    if (threshold === this.#threshold) return;
    this.#threshold = threshold;
    const total = this.#clauses.reduce((sum, { weight }) => sum + weight, 0);
    for (const one of this.#clauses) {
      const others = total - one.weight;
      const bound = (count: number) =>
        computeScore(
          (one.most[count] as number) + boundContribution(others),
          count === 0 ? others : total,
          this.#total,
        );
      one.least = 0;
      while (one.counts && one.least <= MOST_COUNT && bound(one.least) < threshold) one.least += 1;
    }
  }

  #listPage(page: number): Uint32Array {
    const clauses = this.#clauses.map((one) => ({ ...one, counts: one.counts?.page(page) ?? NO_COUNTS }));
    const isHopeless = this.#clauses.some(({ least, counts }) => least > 0 && !counts?.page(page));
    if (isHopeless) return new Uint32Array(0);
    // Of the documents that have a telling clause often enough, few match; of few that match, few have it often enough.
    const telling = clauses.filter(({ least }) => least > 0);
    const first = this.#matching.countPage(page) >= DENSE_DOCS ? telling.shift() : undefined;
    let docs = first ? this.#listOften(page, first) : this.#matching.listPage(page);
    for (const { counts, least } of telling)
      docs = docs.filter((doc) => (counts[doc & (PAGE_DOCS - 1)] as number) >= least);
    return docs.length === 0 || this.#threshold <= 0 ? docs : this.#keepHopeful(docs, clauses);
  }

  /** The matching documents of a page that have a clause often enough. */
  #listOften(page: number, { counts, least }: PageClause): Uint32Array {
    const docs = new Uint32Array(PAGE_DOCS);
    let length = 0;
    for (let at = 0; at < PAGE_DOCS; at += 1) {
      const doc = page * PAGE_DOCS + at;
      if ((counts[at] as number) >= least && this.#matching.has(doc)) docs[length++] = doc;
    }
    return docs.subarray(0, length);
  }

  #keepHopeful(docs: Uint32Array, clauses: readonly PageClause[]): Uint32Array {
    const sums = new Float64Array(docs.length);
    const covered = new Float64Array(docs.length);
    for (const { weight, docs: having, counts, most } of clauses) {
      for (let place = 0; place < docs.length; place += 1) {
        const doc = docs[place] as number;
        const count =
          counts === NO_COUNTS ? (having.has(doc) ? MOST_COUNT : 0) : counts[doc & (PAGE_DOCS - 1)];
        if (count === 0) continue;
        covered[place]! += weight;
        sums[place]! += most[count as number] as number;
      }
    }
    return docs.filter(
      (_, place) =>
        computeScore(sums[place] as number, covered[place] as number, this.#total) >= this.#threshold,
    );
  }
}

/** The most that a clause adds to a document that has it 0, 1, … times in fields without other words. */
function boundCounts(weight: number): Float64Array {
  const most = new Float64Array(MOST_COUNT + 1);
  for (let count = 1; count < MOST_COUNT; count += 1)
    most[count] = computeContribution(weight, count / LEAST_NORM);
  most[MOST_COUNT] = boundContribution(weight);
  return most;
}
