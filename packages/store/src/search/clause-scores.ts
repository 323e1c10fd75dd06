/** What each clause of a query adds to the scores of documents. */
import { ColumnKind } from "../index/keys.ts";
import type { ClauseMatches } from "../index/match.ts";
import type { PostingCursor } from "../index/posting-cursor.ts";
import type { Postings } from "../index/postings.ts";
import { computeContribution, computeNorm } from "../index/rank.ts";
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
    // Plain loops: most of the time of a search for common words goes here.
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

/** How often documents have a clause in each field: as it is asked for, and by inflected forms. */
interface FieldCounts {
  readonly exact: ReadonlyMap<number, Float64Array>;
  readonly forms: ReadonlyMap<number, Float64Array>;
}

/** Counts how often documents have a clause. Calls take ascending documents, each after those of the calls before. */
export class ClauseCounter {
  readonly #reader: IndexReader;
  readonly #matches: ClauseMatches;
  /** Kept from call to call when the posting lists are in memory. */
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
