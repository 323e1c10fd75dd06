/** The contribution of each clause to the scores of documents, and its upper bound. */

import { type DocSet, PAGE_DOCS } from "../index/doc-set.ts";
import { ColumnKind } from "../index/keys.ts";
import {
  boundContribution,
  type ClauseMatches,
  computeContribution,
  computeNorm,
  computeScore,
  type DocCounts,
  LEAST_NORM,
  MOST_COUNT,
} from "../index/match.ts";
import type { PostingCursor } from "../index/posting-cursor.ts";
import type { Postings } from "../index/postings.ts";
import type { IndexReader } from "../index/reader.ts";
import type { CandidateRequest } from "./candidates.ts";
import { isScored, type MatchedClause } from "./clauses.ts";

/** Scores documents, in ascending order from call to call. */
export class ClauseScorer {
  readonly #request: CandidateRequest;
  readonly #counters: readonly (ClauseCounter | undefined)[];

  constructor(request: CandidateRequest) {
    this.#request = request;
    const { index, at, clauses } = request;
    this.#counters = clauses.map((one) =>
      isScored(one) ? new ClauseCounter(index.reader, one.matches[at] as ClauseMatches) : undefined,
    );
  }

  /** The contribution of each clause to each of `docs` (ascending), in clause order; 0 where it does not match. */
  async score(docs: Uint32Array): Promise<Float64Array[]> {
    const { index, clauses } = this.#request;
    const norms = new Map<number, Float64Array>();
    const contributions: Float64Array[] = [];
    for (const [number, one] of clauses.entries()) {
      const added = new Float64Array(docs.length);
      contributions.push(added);
      const counter = this.#counters[number];
      if (!counter || docs.length === 0) continue;
      const counts = await counter.count(docs);
      for (const field of index.fields) {
        if (norms.has(field.number) || !(counts.exact.has(field.number) || counts.forms.has(field.number)))
          continue;
        const lengths = await index.columns.column(ColumnKind.length, field.number, docs);
        for (let at = 0; at < lengths.length; at += 1) lengths[at] = computeNorm(lengths[at] as number);
        norms.set(field.number, lengths);
      }
      this.#add(added, one, counts, norms);
    }
    return contributions;
  }

  #add(
    added: Float64Array,
    one: MatchedClause,
    { exact, forms }: FieldCounts,
    norms: ReadonlyMap<number, Float64Array>,
  ): void {
    const asked = new Float64Array(added.length);
    const any = forms.size > 0 ? new Float64Array(added.length) : asked;
    // Plain loops: the hot path of a search for common words.
    for (const { number, weight } of this.#request.index.fields) {
      const norm = norms.get(number);
      const own = exact.get(number);
      const other = forms.get(number);
      if (!norm) continue;
      if (own) addFrequencies(asked, own, norm, weight);
      if (own && any !== asked) addFrequencies(any, own, norm, weight);
      if (other) addFrequencies(any, other, norm, weight);
    }
    for (let place = 0; place < added.length; place += 1) {
      const [frequency, all] = [asked[place] as number, any[place] as number];
      if (frequency > 0) added[place] = computeContribution(one.weight, frequency);
      if (any !== asked && all > 0)
        added[place] = Math.max(added[place] as number, computeContribution(one.formWeight, all));
    }
  }
}

function addFrequencies(sums: Float64Array, counts: Float64Array, norm: Float64Array, weight: number): void {
  for (let place = 0; place < sums.length; place += 1) {
    const count = counts[place] as number;
    if (count !== 0) sums[place]! += (weight * count) / (norm[place] as number);
  }
}

/** The frequency of a clause in each field: exact, and by inflected forms. */
interface FieldCounts {
  readonly exact: ReadonlyMap<number, Float64Array>;
  readonly forms: ReadonlyMap<number, Float64Array>;
}

/** Counts how often documents have a clause. Calls take ascending documents, each after those of the calls before. */
export class ClauseCounter {
  readonly #reader: IndexReader;
  readonly #matches: ClauseMatches;
  /** Kept between calls if the posting lists are in memory. */
  #cursors: PostingCursor[] | undefined;

  constructor(reader: IndexReader, matches: ClauseMatches) {
    this.#reader = reader;
    this.#matches = matches;
  }

  async count(docs: Uint32Array): Promise<FieldCounts> {
    const { lists, phrases } = this.#matches;
    const counts = { exact: new Map<number, Float64Array>(), forms: new Map<number, Float64Array>() };
    const sumsOf = (byField: Map<number, Float64Array>, field: number) => {
      let sums = byField.get(field);
      if (!sums) {
        sums = new Float64Array(docs.length);
        byField.set(field, sums);
      }
      return sums;
    };
    const cursors = this.#cursors ?? (await this.#reader.cursors(lists, docs));
    if (this.#reader.holds(lists)) this.#cursors = cursors;
    for (const [at, { field, weight }] of lists.entries()) {
      const cursor = cursors[at] as PostingCursor;
      if (cursor.isEmpty) continue;
      const before = cursor.decoded;
      cursor.addTo(sumsOf(weight === 1 ? counts.exact : counts.forms, field), docs, weight);
      if (cursor.decoded > before) this.#reader.spend(cursor.decoded - before);
    }
    for (const { field, postings } of phrases) addPhrases(sumsOf(counts.exact, field), docs, postings);
    return counts;
  }
}

function addPhrases(sums: Float64Array, docs: Uint32Array, postings: Postings): void {
  for (let at = 0, from = 0; at < docs.length && from < postings.docs.length; ) {
    const order = (docs[at] as number) - (postings.docs[from] as number);
    if (order === 0) sums[at]! += postings.counts[from] as number;
    if (order <= 0) at += 1;
    if (order >= 0) from += 1;
  }
}

/** Sums in another order differ by rounding: documents this close to the threshold are kept. */
const ROUNDING = 1 - 1e-9;
/** The minimum size of a batch of documents, except for the last: each batch has a fixed cost. */
const LEAST_BATCH = 256;
/** In pages with this many documents, scan all counts. */
const DENSE_DOCS = 512;

interface BoundClause {
  readonly weight: number;
  readonly docs: DocSet;
  /** Undefined when there was no room for them. */
  readonly counts: DocCounts | undefined;
  /** The most that it adds to a document, by how often the document has it. */
  readonly most: Float64Array;
  /** The least count of a document that can reach the threshold, if it has all other clauses as often as possible. */
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
  /** The documents of a page, and their scores, in memory that is used again for each page. */
  #docs: Uint32Array | undefined;
  #sums = new Float64Array(0);
  #covered = new Float64Array(0);

  /** `matching` are the documents to score; `total` is the weight of all clauses. */
  constructor({ at, clauses }: CandidateRequest, matching: DocSet, total: number) {
    this.#matching = matching;
    this.#total = total;
    this.#clauses = clauses
      .filter(isScored)
      .toSorted((a, b) => b.weight - a.weight)
      .map(({ weight, matches }) => {
        const { docs, counts } = matches[at] as ClauseMatches;
        const complete = counts.isComplete ? counts : undefined;
        return { weight, docs, counts: complete, most: boundCounts(weight), least: 0 };
      });
  }

  /** The documents that can score at least `findLeast()`, ascending, a batch at a time. */
  *listHopeful(findLeast: () => number): Generator<Uint32Array> {
    let docs: number[] = [];
    for (const page of this.#matching.listPages()) {
      this.#raise(findLeast() * ROUNDING);
      const own = this.#listPage(page);
      for (let at = 0; at < own.length; at += 1) docs.push(own[at] as number);
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
    // Iterate the smaller set: documents that have a rare clause often enough, or matching documents.
    const telling = clauses.filter(({ least }) => least > 0);
    const first = this.#matching.countPage(page) >= DENSE_DOCS ? telling.shift() : undefined;
    let docs = first ? this.#listOften(page, first) : this.#matching.listPage(page);
    for (const { counts, least } of telling)
      docs = keepPlaces(
        docs,
        (place) => (counts[(docs[place] as number) & (PAGE_DOCS - 1)] as number) >= least,
      );
    return docs.length === 0 || this.#threshold <= 0 ? docs : this.#keepHopeful(docs, clauses);
  }

  /** The matching documents of a page that have a clause often enough. */
  #listOften(page: number, { counts, least }: PageClause): Uint32Array {
    this.#docs ??= new Uint32Array(PAGE_DOCS);
    const docs = this.#docs;
    let length = 0;
    for (let at = 0; at < PAGE_DOCS; at += 1) {
      if ((counts[at] as number) < least) continue;
      const doc = page * PAGE_DOCS + at;
      if (this.#matching.has(doc)) docs[length++] = doc;
    }
    return docs.subarray(0, length);
  }

  #keepHopeful(docs: Uint32Array, clauses: readonly PageClause[]): Uint32Array {
    if (docs.length > this.#sums.length)
      [this.#sums, this.#covered] = [new Float64Array(docs.length), new Float64Array(docs.length)];
    const [sums, covered] = [this.#sums.fill(0, 0, docs.length), this.#covered.fill(0, 0, docs.length)];
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
    return keepPlaces(
      docs,
      (place) =>
        computeScore(sums[place] as number, covered[place] as number, this.#total) >= this.#threshold,
    );
  }
}

/** Keeps the documents at some places, in the same memory: `filter` of an array takes several times as long. */
function keepPlaces(docs: Uint32Array, isKept: (place: number) => boolean): Uint32Array {
  let length = 0;
  for (let place = 0; place < docs.length; place += 1)
    if (isKept(place)) docs[length++] = docs[place] as number;
  return docs.subarray(0, length);
}

/** The most that a clause adds to a document that has it 0, 1, … times in fields without other words. */
function boundCounts(weight: number): Float64Array {
  const most = new Float64Array(MOST_COUNT + 1);
  for (let count = 1; count < MOST_COUNT; count += 1)
    most[count] = computeContribution(weight, count / LEAST_NORM);
  most[MOST_COUNT] = boundContribution(weight);
  return most;
}
