/** Finds where the clauses of a query match in one document. Seeks, so that a field of any size costs a few blocks. */
import type { FormFinder, Query, QueryClause, QueryPhrase } from "@rungs/evidence";
import { DocSet } from "./doc-set.ts";
import type { IndexReader } from "./reader.ts";

/** A clause of a query at a token position. */
export interface PlacedClause {
  readonly at: number;
  readonly clause: number;
}

/** A range of positions in a field of a document. */
export interface Stretch {
  readonly field: number;
  readonly doc: number;
  readonly from: number;
  readonly end: number;
}

/** How many positions of a clause to read. A clause with more is frequent, and located only near the others. */
const MAX_PLACES = 256;
const MAX_ANCHORS = 12;
const MAX_TERMS = 64;

/** Positions of the clauses in a range, ascending: all of the rare ones; of the frequent ones, the first and those near a rare one. */
export async function locateQuery(
  reader: IndexReader,
  query: Query,
  forms: FormFinder,
  stretch: Stretch,
  span: number,
): Promise<PlacedClause[]> {
  const located: Located[] = [];
  for (const [clause, each] of query.clauses.entries())
    if (each.need !== "excluded")
      located.push({ clause, phrases: await openClause(reader, each, forms, stretch), places: [] });
  for (const one of located) one.places = await locateClause(reader, one.phrases, stretch, MAX_PLACES);
  const placed = located.flatMap(({ clause, places }) => places.map((at) => ({ at, clause })));
  const anchors = located
    .filter(({ places }) => places.length < MAX_PLACES)
    .flatMap(({ places }) => places.slice(0, MAX_ANCHORS));
  for (const { clause, phrases, places } of located) {
    if (places.length < MAX_PLACES) continue;
    for (const anchor of anchors) {
      const near = {
        ...stretch,
        from: Math.max(stretch.from, anchor - span),
        end: Math.min(stretch.end, anchor + span + 1),
      };
      for (const at of await locateClause(reader, phrases, near, 4)) placed.push({ at, clause });
    }
  }
  return placed.sort((a, b) => a.at - b.at || a.clause - b.clause);
}

interface Located {
  readonly clause: number;
  /** For each alternative of the clause, the terms that may be at each of its positions. */
  readonly phrases: readonly (readonly string[])[][];
  places: number[];
}

/** The terms that the document has for each position of each alternative. */
async function openClause(
  reader: IndexReader,
  { any }: QueryClause,
  forms: FormFinder,
  stretch: Stretch,
): Promise<string[][][]> {
  const { field, doc } = stretch;
  const phrases: string[][][] = [];
  for (const phrase of any) {
    const words: string[][] = [];
    for (const terms of await listAlternatives(reader, phrase, stretch)) {
      const wanted = [...terms, ...(await listForms(reader, phrase, forms, stretch))];
      words.push(wanted.length === 1 ? wanted : await reader.termsInDoc(wanted, field, doc, MAX_TERMS));
    }
    phrases.push(words);
  }
  return phrases;
}

/** The terms that may be at each position of a phrase: one, or for a prefix the terms of the document that begin with it. */
async function listAlternatives(
  reader: IndexReader,
  { terms, prefix }: QueryPhrase,
  stretch: Stretch,
): Promise<string[][]> {
  const last = terms.at(-1) as string;
  const expanded = prefix ? await listTermsNear(reader, [last], stretch) : [last];
  return [...terms.slice(0, -1).map((term) => [term]), expanded];
}

/** The terms of the dictionary that are forms of a phrase's only word. */
async function listForms(
  reader: IndexReader,
  { terms, inflected }: QueryPhrase,
  forms: FormFinder,
  stretch: Stretch,
): Promise<string[]> {
  const wanted = terms[0] as string;
  if (!inflected) return [];
  const near = await listTermsNear(reader, forms.listPrefixes(wanted), stretch);
  return near.filter((term) => forms.isForm(term, wanted));
}

/** The terms with any of the prefixes that the document may have in the field. */
async function listTermsNear(
  reader: IndexReader,
  prefixes: readonly string[],
  { field, doc }: Stretch,
): Promise<string[]> {
  const terms = await reader.terms(prefixes, { fields: new Set([field]), docs: DocSet.of([doc]) });
  return terms.flat();
}

/** The first `limit` positions in a range at which an alternative begins. */
async function locateClause(
  reader: IndexReader,
  phrases: Located["phrases"],
  { field, doc, from, end }: Stretch,
  limit: number,
): Promise<number[]> {
  const found = new Set<number>();
  for (const words of phrases) {
    const seekers = words.map(
      (terms) => new AnyOf(terms.map((term) => reader.seekPositions(term, field, doc))),
    );
    for (let start = from, count = 0; count < limit; start += 1, count += 1) {
      start = await nextPhrase(seekers, start);
      if (start >= end) break;
      found.add(start);
    }
  }
  return [...found].sort((a, b) => a - b).slice(0, limit);
}

/** The first position at or after `start` where all words follow each other. */
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

/** Seeks the first position at or after a target. Targets must ascend. */
export interface SeekablePositions {
  seek(target: number): Promise<number>;
}

/** Combines the positions of several terms. */
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
