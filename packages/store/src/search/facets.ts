/** Counts the matching records of a search by source, month and author, within the scope (R68). */
import { Parameters } from "../database.ts";
import { decodeScalar } from "../rows/scalars.ts";
import { SCALAR_BYTES } from "../rows/sizes.ts";
import type { StoredFacets } from "../store.ts";
import { type CandidateRequest, listMatching } from "./candidates.ts";
import type { MatchedQuery } from "./matched-query.ts";
import { createOrder } from "./scoped-index.ts";

/** How many records are looked up for their month and author: the last written of each stream, by its share of the matches. */
const FACET_DOCS = 4_096;
const SHOWN = { sources: 50, months: 36, people: 20 };

export async function countFacets({ sql, owner, requests }: MatchedQuery): Promise<StoredFacets> {
  const sources: StoredFacets["sources"][number][] = [];
  const months = new Map<string, number>();
  const people = new Map<string, StoredFacets["people"][number]>();
  const found = requests.map((request) => ({ request, docs: listMatching(request) }));
  const sizes = found.map(({ docs }) => docs.size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  for (const [at, { request, docs }] of found.entries()) {
    const count = sizes[at] as number;
    if (count === 0) continue;
    const { connection_id, stream } = request.index.partition;
    sources.push({ connection_id, stream, count });
    const counted = docs.listLast(Math.ceil(count * Math.min(1, FACET_DOCS / total)));
    await countMonths(request, counted, months);
    await countPeople({ sql, owner }, request, counted, people);
  }
  return {
    is_complete: total <= FACET_DOCS,
    sources: sources.sort((a, b) => b.count - a.count).slice(0, SHOWN.sources),
    months: [...months]
      .map(([month, count]) => ({ month, count }))
      .sort((a, b) => (a.month < b.month ? 1 : -1))
      .slice(0, SHOWN.months),
    people: [...people.values()]
      .sort((a, b) => b.count - a.count || compareText(a.value, b.value) || compareText(a.field, b.field))
      .slice(0, SHOWN.people),
  };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Months in UTC, where the scope covers the time. */
async function countMonths(
  { index }: CandidateRequest,
  docs: Uint32Array,
  months: Map<string, number>,
): Promise<void> {
  for (const { time_ms } of await createOrder(index)(docs)) {
    if (time_ms === null) continue;
    const month = new Date(time_ms).toISOString().slice(0, -17);
    months.set(month, (months.get(month) ?? 0) + 1);
  }
}

/** The values of the granted author fields that a filter can compare. */
async function countPeople(
  { sql, owner }: Pick<MatchedQuery, "sql" | "owner">,
  { index: { partition } }: CandidateRequest,
  docs: Uint32Array,
  people: Map<string, StoredFacets["people"][number]>,
): Promise<void> {
  const authors = partition.shape.fields.filter(
    ({ name, role, aggregatable, types }) =>
      role === "actor" && aggregatable && types.includes("string") && partition.granted.has(name),
  );
  for (const { name: field } of authors) {
    const parameters = new Parameters();
    const rows = await sql.all<{ value: Uint8Array; records: number }>(
      `SELECT s.value, count(*) AS records FROM scalars s WHERE s.owner = ${parameters.add(owner)}
         AND ${sql.dialect.isAnyNumber("s.doc", parameters.add(Array.from(docs)))}
         AND s.field = ${parameters.add(partition.fieldNames.indexOf(field))} GROUP BY s.value`,
      parameters.values,
    );
    for (const { value: bytes, records } of rows) {
      const value = decodeScalar(bytes);
      if (typeof value !== "string" || value === "" || bytes.length > SCALAR_BYTES + 1) continue;
      const key = `${field}=${value}`;
      people.set(key, { field, value, count: (people.get(key)?.count ?? 0) + records });
    }
  }
}
