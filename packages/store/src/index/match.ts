/** Which documents of a part match a query's clauses, how often in which field, and where. */
import type { QueryClause } from "@rungs/evidence";
import type { IndexReader, Positions, Postings } from "./reader.ts";

/** The documents that a clause matches, by field, and over all fields. */
export interface ClauseMatches {
  readonly docs: number[];
  readonly byField: ReadonlyMap<number, Postings>;
}

/** Documents that a clause matches in `fields`; `allows` is the scope's limits and what is gone. */
export async function matchClause(
  reader: IndexReader,
  clause: QueryClause,
  fields: readonly number[],
  allows: (doc: number) => boolean,
): Promise<ClauseMatches> {
  const byField = new Map<number, Postings>();
  for (const field of fields) {
    const found = clause.terms.length > 1 ? await matchPhrase(reader, clause, field, allows) : await matchTerm(reader, clause, field);
    const kept = clause.terms.length > 1 ? found : keep(found, allows);
    if (kept.docs.length > 0) byField.set(field, kept);
  }
  return { docs: unite([...byField.values()].map(({ docs }) => docs)), byField };
}

/** Where a clause matches in `field` of one document: the positions of its first words, rising. */
export async function locateClause(reader: IndexReader, clause: QueryClause, field: number, doc: number): Promise<number[]> {
  const lists = await readPhrase(reader, clause, field, [doc]);
  return phraseStarts(lists, 0);
}

function matchTerm(reader: IndexReader, { terms, prefix }: QueryClause, field: number): Promise<Postings> {
  const [term = ""] = terms;
  return prefix ? reader.prefixPostings(term, field) : reader.postings(term, field);
}

async function matchPhrase(reader: IndexReader, clause: QueryClause, field: number, allows: (doc: number) => boolean): Promise<Postings> {
  let docs: number[] | undefined;
  for (const [at, term] of clause.terms.entries()) {
    const last = at === clause.terms.length - 1;
    const found = last && clause.prefix ? await reader.prefixPostings(term, field) : await reader.postings(term, field);
    docs = docs ? intersect(docs, found.docs) : found.docs.filter(allows);
    if (docs.length === 0) return { docs: [], counts: [] };
  }
  const candidates = docs as number[];
  const lists = await readPhrase(reader, clause, field, candidates);
  const found: Postings = { docs: [], counts: [] };
  for (const [number, doc] of candidates.entries()) {
    const count = phraseStarts(lists, number).length;
    if (count === 0) continue;
    found.docs.push(doc);
    found.counts.push(count);
  }
  return found;
}

/** The positions of each word of a clause in `docs`; a prefix has those of all its terms. */
async function readPhrase(reader: IndexReader, { terms, prefix }: QueryClause, field: number, docs: readonly number[]): Promise<Positions[]> {
  const lists: Positions[] = [];
  for (const [at, term] of terms.entries()) {
    if (prefix && at === terms.length - 1) {
      const expanded: Positions[] = [];
      for (const one of await reader.expand(term, field)) expanded.push(await reader.positions(one, field, docs));
      lists.push(unitePositions(expanded, docs.length));
    } else lists.push(await reader.positions(term, field, docs));
  }
  return lists;
}

/** Positions in document number `number` from which every word follows the one before. */
function phraseStarts(lists: readonly Positions[], number: number): number[] {
  const [first, ...others] = lists.map(({ starts, positions }) => positions.slice(starts[number], starts[number + 1]));
  if (others.length === 0) return first ?? [];
  const places = others.map(() => 0);
  return (first ?? []).filter((position) =>
    others.every((list, at) => {
      const wanted = position + at + 1;
      while ((list[places[at] as number] ?? Number.POSITIVE_INFINITY) < wanted) places[at] = (places[at] as number) + 1;
      return list[places[at] as number] === wanted;
    }),
  );
}

function unitePositions(all: readonly Positions[], docs: number): Positions {
  const starts = new Int32Array(docs + 1);
  const positions: number[] = [];
  for (let number = 0; number < docs; number += 1) {
    const here = all.flatMap((one) => one.positions.slice(one.starts[number], one.starts[number + 1]));
    positions.push(...here.sort((a, b) => a - b));
    starts[number + 1] = positions.length;
  }
  return { starts, positions };
}

function keep({ docs, counts }: Postings, allows: (doc: number) => boolean): Postings {
  const kept: Postings = { docs: [], counts: [] };
  for (let at = 0; at < docs.length; at += 1) {
    if (!allows(docs[at] as number)) continue;
    kept.docs.push(docs[at] as number);
    kept.counts.push(counts[at] as number);
  }
  return kept;
}

/** What two rising lists have in common. */
export function intersect(a: readonly number[], b: readonly number[]): number[] {
  const common: number[] = [];
  let at = 0;
  for (const doc of a) {
    while (at < b.length && (b[at] as number) < doc) at += 1;
    if (b[at] === doc) common.push(doc);
  }
  return common;
}

/** All numbers of rising lists, rising, each once. */
function unite(lists: readonly (readonly number[])[]): number[] {
  const [first = [], ...others] = lists;
  return others.reduce<number[]>((a, b) => uniteTwo(a, b), first as number[]);
}

function uniteTwo(a: readonly number[], b: readonly number[]): number[] {
  const all: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const x = a[i] ?? Number.POSITIVE_INFINITY;
    const y = b[j] ?? Number.POSITIVE_INFINITY;
    all.push(Math.min(x, y));
    if (x <= y) i += 1;
    if (y <= x) j += 1;
  }
  return all;
}
