/** Finds the documents that have a phrase in a field, and how often. */
import type { QueryPhrase } from "@rungs/evidence";
import { type DocFilter, DocSet } from "./doc-set.ts";
import { lowerBound } from "./list-ranges.ts";
import { NumberBuilder, type Postings, PostingsBuilder } from "./postings.ts";
import type { IndexReader, Positions } from "./reader.ts";

/** How many documents to read positions for at a time. */
const CHUNK_DOCS = 16_384;
/** How many terms of a prefix to look up at a time. */
const BATCH_TERMS = 256;

export interface PhraseMatches {
  readonly postings: Postings;
  /** Whether the final prefix has more completions than were searched. */
  readonly cut: boolean;
}

/** Where a phrase may end: after the words before its prefix, in each of `docs` (ascending). */
interface OpenEnds extends Positions {
  readonly docs: Uint32Array;
}

/** `limit` is how many terms a prefix at the end of the phrase may stand for, in byte order. */
export async function matchPhrase(
  reader: IndexReader,
  { terms, prefix }: QueryPhrase,
  field: number,
  limit: number,
): Promise<PhraseMatches> {
  const fixed = prefix ? terms.slice(0, -1) : terms;
  const candidates = await findCandidates(reader, fixed, field);
  const ends = new OpenEndsBuilder();
  const found = new PostingsBuilder();
  for (let start = 0; start < candidates.length; start += CHUNK_DOCS) {
    const docs = candidates.subarray(start, start + CHUNK_DOCS);
    const words: Positions[] = [];
    for (const term of fixed) words.push(await reader.positions(term, field, docs));
    for (let number = 0; number < docs.length; number += 1) {
      const doc = docs[number] as number;
      let count = 0;
      eachStart(words, number, (position) => {
        count += 1;
        if (prefix) ends.add(doc, position + fixed.length);
      });
      if (count > 0 && !prefix) found.add(doc, count);
    }
  }
  if (!prefix) return { postings: found.take(), cut: false };
  return completePhrase(reader, terms.at(-1) as string, field, ends.take(), limit);
}

/** The documents in scope that have all the terms, ascending. */
async function findCandidates(
  reader: IndexReader,
  terms: readonly string[],
  field: number,
): Promise<Uint32Array> {
  let filter: DocFilter | undefined = reader.filter;
  let found = new DocSet();
  for (const term of new Set(terms)) {
    found = new DocSet();
    await reader.collect([{ term, field, docs: found }], { filter });
    if (found.isEmpty) break;
    filter = found;
  }
  return found.list();
}

/** Calls `visit` for each position at which the words follow each other in document number `number`. */
function eachStart(words: readonly Positions[], number: number, visit: (position: number) => void): void {
  const { starts, positions } = words[0] as Positions;
  const end = starts[number + 1] as number;
  for (let at = starts[number] as number; at < end; at += 1) {
    const position = positions[at] as number;
    let word = 1;
    while (word < words.length && hasPosition(words[word] as Positions, number, position + word)) word += 1;
    if (word === words.length) visit(position);
  }
}

function hasPosition({ starts, positions }: Positions, number: number, wanted: number): boolean {
  let low = starts[number] as number;
  const end = starts[number + 1] as number;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low < end && positions[low] === wanted;
}

class OpenEndsBuilder {
  readonly #docs = new NumberBuilder();
  readonly #starts = new NumberBuilder();
  readonly #positions = new NumberBuilder();
  #lastDoc = -1;

  add(doc: number, position: number): void {
    if (doc !== this.#lastDoc) {
      this.#docs.add(doc);
      this.#starts.add(this.#positions.length);
      this.#lastDoc = doc;
    }
    this.#positions.add(position);
  }

  take(): OpenEnds {
    this.#starts.add(this.#positions.length);
    return { docs: this.#docs.take(), starts: this.#starts.take(), positions: this.#positions.take() };
  }
}

/** Looks only at documents in which the rest of the phrase occurs, and only for terms that they may have. */
async function completePhrase(
  reader: IndexReader,
  prefix: string,
  field: number,
  ends: OpenEnds,
  limit: number,
): Promise<PhraseMatches> {
  const counts = new Uint32Array(ends.docs.length);
  let taken = 0;
  if (ends.docs.length > 0) {
    const docs = DocSet.of(ends.docs);
    const [terms = []] = await reader.terms([prefix], { fields: new Set([field]), docs });
    for (let start = 0; start < terms.length && taken <= limit; start += BATCH_TERMS) {
      const batch = terms.slice(start, start + BATCH_TERMS);
      const endsOf = batch.map(() => [] as number[]);
      await reader.eachPositionOf(batch, field, docs, (number, doc, position) => {
        const at = lowerBound(ends.docs, doc);
        if (hasPosition(ends, at, position)) endsOf[number]?.push(at);
      });
      for (const own of endsOf) {
        if (own.length === 0) continue;
        taken += 1;
        if (taken > limit) break;
        for (const at of own) counts[at]! += 1;
      }
    }
  }
  const found = new PostingsBuilder();
  for (const [at, doc] of ends.docs.entries())
    if ((counts[at] as number) > 0) found.add(doc, counts[at] as number);
  return { postings: found.take(), cut: taken > limit };
}
