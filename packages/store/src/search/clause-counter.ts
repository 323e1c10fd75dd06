import type { ClauseMatches } from "../index/match.ts";
import type { PostingCursor } from "../index/posting-cursor.ts";
import type { Postings } from "../index/postings.ts";
import type { IndexReader } from "../index/reader.ts";

/** How often documents have a clause in each field: as it is asked for, and by inflected forms. */
export interface FieldCounts {
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
