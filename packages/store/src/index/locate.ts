/** Where a query's clauses match in one document, found by seeking: a field of any size costs a few blocks. */
import type { Query, QueryClause } from "@rungs/evidence";
import type { IndexReader } from "./reader.ts";

/** A clause of a query at a token position. */
export interface PlacedClause {
  readonly at: number;
  readonly clause: number;
}

/** Which stretch of which field of which document to look at. */
export interface Stretch {
  readonly field: number;
  readonly doc: number;
  readonly from: number;
  readonly end: number;
}

/** Places of one clause that are looked at; a clause with more is frequent, and is looked for near the others. */
const MAX_PLACES = 256;
const MAX_ANCHORS = 12;
const MAX_PREFIX_TERMS = 64;

/** Places of the clauses in a stretch, rising: all of the rare ones, and of the frequent ones the first and those near a rare one. */
export async function locateQuery(
  reader: IndexReader,
  query: Query,
  stretch: Stretch,
  span: number,
): Promise<PlacedClause[]> {
  const found: number[][] = [];
  for (const clause of query.clauses) found.push(await locateClause(reader, clause, stretch, MAX_PLACES));
  const placed = found.flatMap((places, clause) => places.map((at) => ({ at, clause })));
  const anchors = found
    .filter((places) => places.length < MAX_PLACES)
    .flatMap((places) => places.slice(0, MAX_ANCHORS));
  for (const [clause, wanted] of query.clauses.entries()) {
    if ((found[clause] as number[]).length < MAX_PLACES) continue;
    for (const anchor of anchors) {
      const near = {
        ...stretch,
        from: Math.max(stretch.from, anchor - span),
        end: Math.min(stretch.end, anchor + span + 1),
      };
      for (const at of await locateClause(reader, wanted, near, 4)) placed.push({ at, clause });
    }
  }
  return placed.sort((a, b) => a.at - b.at || a.clause - b.clause);
}

/** The first `limit` positions in a stretch from which every word of a clause follows the one before. */
async function locateClause(
  reader: IndexReader,
  { terms, prefix }: QueryClause,
  { field, doc, from, end }: Stretch,
  limit: number,
): Promise<number[]> {
  const words: SeekablePositions[] = [];
  for (const [at, term] of terms.entries()) {
    const isPrefix = prefix && at === terms.length - 1;
    const wanted = isPrefix ? await reader.expand(term, field, doc, MAX_PREFIX_TERMS) : [term];
    words.push(new AnyOf(wanted.map((one) => reader.seekPositions(one, field, doc))));
  }
  const found: number[] = [];
  for (let start = from; found.length < limit; start += 1) {
    start = await nextPhrase(words, start);
    if (start >= end) break;
    found.push(start);
  }
  return found;
}

/** The first position from `start` on where all words stand in a row. */
async function nextPhrase(words: readonly SeekablePositions[], start: number): Promise<number> {
  for (let at = start; ; ) {
    let word = 0;
    for (; word < words.length; word += 1) {
      const position = await (words[word] as SeekablePositions).seek(at + word);
      if (position === at + word) continue;
      at = position - word;
      break;
    }
    if (word === words.length || at === Number.POSITIVE_INFINITY) return at;
  }
}

/** Positions that can be sought: the first at or after a target, which rises. */
export interface SeekablePositions {
  seek(target: number): Promise<number>;
}

/** The positions of several terms as one. */
class AnyOf implements SeekablePositions {
  readonly #all: readonly SeekablePositions[];

  constructor(all: readonly SeekablePositions[]) {
    this.#all = all;
  }

  async seek(target: number): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (const one of this.#all) least = Math.min(least, await one.seek(target));
    return least;
  }
}
