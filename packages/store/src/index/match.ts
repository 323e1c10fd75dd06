/** Finds the documents of a partition that match the clauses of a query: how often, in which field, and where. */
import type { QueryPhrase } from "@rungs/evidence";
import { addUp, intersect, keep, NumberBuilder, type Postings, PostingsBuilder, unite } from "./postings.ts";
import type { IndexReader, Positions } from "./reader.ts";

/** The documents that a clause matches, by field, and over all fields. */
export interface ClauseMatches {
  readonly docs: Uint32Array;
  readonly byField: ReadonlyMap<number, Postings>;
  /** What the clause matches as it is asked for, without inflected forms. */
  readonly exact: Omit<ClauseMatches, "exact">;
}

/** Whether the scope covers a document and it still exists; undefined when that holds for all. */
export type Allows = ((doc: number) => boolean) | undefined;

/** A clause as an index query: single terms with the weight of an occurrence, and phrases. */
export interface IndexedClause {
  readonly words: readonly { readonly term: string; readonly weight: number }[];
  readonly phrases: readonly QueryPhrase[];
}

/** What to search: the index of a partition, its granted fields, and the scope's limits. */
export interface MatchContext {
  readonly reader: IndexReader;
  readonly fields: readonly number[];
  readonly allows: Allows;
}

/** The documents that match each clause. The posting lists of all words are read in one round trip. */
export async function matchClauses(
  { reader, fields, allows }: MatchContext,
  clauses: readonly IndexedClause[],
): Promise<ClauseMatches[]> {
  const lists = clauses.flatMap(({ words }) =>
    words.flatMap(({ term }) => fields.map((field) => ({ term, field }))),
  );
  const read = (await reader.postings(lists)).map((postings) => keep(postings, allows));
  let next = 0;
  const found: ClauseMatches[] = [];
  for (const { words, phrases } of clauses) {
    const byField = new Map<number, { postings: Postings; weight: number }[]>(fields.map((one) => [one, []]));
    const exact = new Map<number, { postings: Postings; weight: number }[]>(fields.map((one) => [one, []]));
    for (const { weight } of words) {
      for (const field of fields) {
        const postings = read[next++] as Postings;
        byField.get(field)?.push({ postings, weight });
        if (weight === 1) exact.get(field)?.push({ postings, weight });
      }
    }
    for (const phrase of phrases) {
      for (const field of fields) {
        const postings = await matchPhrase(reader, phrase, field, allows);
        byField.get(field)?.push({ postings, weight: 1 });
        exact.get(field)?.push({ postings, weight: 1 });
      }
    }
    const all = uniteFields(byField);
    const isExact = words.every(({ weight }) => weight === 1);
    found.push({ ...all, exact: isExact ? all : uniteFields(exact) });
  }
  return found;
}

function uniteFields(
  lists: ReadonlyMap<number, readonly { postings: Postings; weight: number }[]>,
): ClauseMatches["exact"] {
  const byField = new Map<number, Postings>();
  for (const [field, all] of lists) {
    const united = addUp(all.filter(({ postings }) => postings.docs.length > 0));
    if (united.docs.length > 0) byField.set(field, united);
  }
  return { docs: unite([...byField.values()].map(({ docs }) => docs)), byField };
}

async function matchPhrase(
  reader: IndexReader,
  phrase: QueryPhrase,
  field: number,
  allows: Allows,
): Promise<Postings> {
  const alternatives = await listAlternatives(reader, phrase);
  const lists = await reader.postings(alternatives.flat().map((term) => ({ term, field })));
  let docs: Uint32Array | undefined;
  let next = 0;
  for (const terms of alternatives) {
    const united = unite(lists.slice(next, next + terms.length).map((one) => one.docs));
    next += terms.length;
    docs = docs ? intersect(docs, united) : keep({ docs: united, counts: united }, allows).docs;
    if (docs.length === 0) return { docs, counts: docs };
  }
  const candidates = docs as Uint32Array;
  const words: Positions[] = [];
  for (const terms of alternatives) {
    const positions: Positions[] = [];
    for (const term of terms) positions.push(await reader.positions(term, field, candidates));
    words.push(
      positions.length === 1 ? (positions[0] as Positions) : unitePositions(positions, candidates.length),
    );
  }
  const [first, ...others] = words;
  const found = new PostingsBuilder();
  for (let number = 0; number < candidates.length; number += 1) {
    const count = countPhrases(first as Positions, others, number);
    if (count > 0) found.add(candidates[number] as number, count);
  }
  return found.take();
}

/** The terms that may be at each position of a phrase: one, or for a prefix all terms that begin with it. */
export async function listAlternatives(
  reader: IndexReader,
  { terms, prefix }: QueryPhrase,
): Promise<string[][]> {
  const last = terms.at(-1) as string;
  const expanded = prefix ? ((await reader.terms([last]))[0] as string[]) : [last];
  return [...terms.slice(0, -1).map((term) => [term]), expanded];
}

/** How often the phrase occurs in document number `number`. */
function countPhrases(first: Positions, others: readonly Positions[], number: number): number {
  let count = 0;
  const firstEnd = first.starts[number + 1] as number;
  for (let at = first.starts[number] as number; at < firstEnd; at += 1) {
    const position = first.positions[at] as number;
    let word = 0;
    while (word < others.length && hasPosition(others[word] as Positions, number, position + word + 1))
      word += 1;
    if (word === others.length) count += 1;
  }
  return count;
}

function hasPosition({ starts, positions }: Positions, number: number, wanted: number): boolean {
  let low = starts[number] as number;
  let high = starts[number + 1] as number;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low < (starts[number + 1] as number) && positions[low] === wanted;
}

function unitePositions(all: readonly Positions[], docs: number): Positions {
  const starts = new Uint32Array(docs + 1);
  const positions = new NumberBuilder();
  for (let number = 0; number < docs; number += 1) {
    const here = all.map((one) => one.positions.subarray(one.starts[number], one.starts[number + 1]));
    for (const position of unite(here)) positions.add(position);
    starts[number + 1] = positions.length;
  }
  return { starts, positions: positions.take() };
}
