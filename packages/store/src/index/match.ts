/** Which documents of a partition match a query's clauses, how often in which field, and where. */
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
  const [first, ...others] = await readPhrase(reader, clause, field, candidates);
  const found = new PostingsBuilder();
  for (let number = 0; number < candidates.length; number += 1) {
    const count = countPhrases(first as Positions, others, number);
    if (count > 0) found.add(candidates[number] as number, count);
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

/** How often, in document number `number`, every word follows the one before. */
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
