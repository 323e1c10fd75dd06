/** Which documents of a part match a query's clauses, how often in which field, and where. */
import type { QueryClause } from "@rungs/evidence";
import { intersect, keep, NumberBuilder, type Postings, PostingsBuilder, unite } from "./postings.ts";
import type { IndexReader, Positions } from "./reader.ts";

/** The documents that a clause matches, by field, and over all fields. */
export interface ClauseMatches {
  readonly docs: Uint32Array;
  readonly byField: ReadonlyMap<number, Postings>;
}

/** The scope's limits and what is gone, as a condition on documents; undefined when all may be seen. */
export type Allows = ((doc: number) => boolean) | undefined;

/** Documents that a clause matches in `fields`. */
export async function matchClause(
  reader: IndexReader,
  clause: QueryClause,
  fields: readonly number[],
  allows: Allows,
): Promise<ClauseMatches> {
  const byField = new Map<number, Postings>();
  for (const field of fields) {
    const found =
      clause.terms.length > 1
        ? await matchPhrase(reader, clause, field, allows)
        : keep(await matchTerm(reader, clause, 0, field), allows);
    if (found.docs.length > 0) byField.set(field, found);
  }
  return { docs: unite([...byField.values()].map(({ docs }) => docs)), byField };
}

/** The postings of term number `at` of a clause; the last may be a prefix. */
function matchTerm(
  reader: IndexReader,
  { terms, prefix }: QueryClause,
  at: number,
  field: number,
): Promise<Postings> {
  const term = terms[at] as string;
  return prefix && at === terms.length - 1
    ? reader.prefixPostings(term, field)
    : reader.postings(term, field);
}

async function matchPhrase(
  reader: IndexReader,
  clause: QueryClause,
  field: number,
  allows: Allows,
): Promise<Postings> {
  let docs: Uint32Array | undefined;
  for (const at of clause.terms.keys()) {
    const found = await matchTerm(reader, clause, at, field);
    docs = docs ? intersect(docs, found.docs) : keep(found, allows).docs;
    if (docs.length === 0) return { docs, counts: docs };
  }
  const candidates = docs as Uint32Array;
  const lists = await readPhrase(reader, clause, field, candidates);
  const found = new PostingsBuilder();
  for (const [number, doc] of candidates.entries()) {
    let count = 0;
    eachPhrase(lists, number, () => {
      count += 1;
    });
    if (count > 0) found.add(doc, count);
  }
  return found.take();
}

/** The positions of each word of a clause in `docs`; a prefix has those of all its terms. */
async function readPhrase(
  reader: IndexReader,
  { terms, prefix }: QueryClause,
  field: number,
  docs: Uint32Array,
): Promise<Positions[]> {
  const lists: Positions[] = [];
  for (const [at, term] of terms.entries()) {
    if (prefix && at === terms.length - 1) {
      const expanded: Positions[] = [];
      for (const one of await reader.expand(term, field))
        expanded.push(await reader.positions(one, field, docs));
      lists.push(unitePositions(expanded, docs.length));
    } else lists.push(await reader.positions(term, field, docs));
  }
  return lists;
}

/** Calls `visit` for each position in document number `number` from which every word follows the one before. */
function eachPhrase(
  [first, ...others]: readonly Positions[],
  number: number,
  visit: (position: number) => void,
): void {
  if (!first) return;
  const places = others.map((list) => list.starts[number] as number);
  for (let at = first.starts[number] as number; at < (first.starts[number + 1] as number); at += 1) {
    const position = first.positions[at] as number;
    let word = 0;
    for (; word < others.length; word += 1) {
      const { positions, starts } = others[word] as Positions;
      const end = starts[number + 1] as number;
      const wanted = position + word + 1;
      let place = places[word] as number;
      while (place < end && (positions[place] as number) < wanted) place += 1;
      places[word] = place;
      if (place === end || positions[place] !== wanted) break;
    }
    if (word === others.length) visit(position);
  }
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
