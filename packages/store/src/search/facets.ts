/** Counts the matching records of a search by source, month and author, within the scope (R68). */
import { Parameters } from "../database.ts";
import { decodeScalar } from "../rows/scalars.ts";
import { SCALAR_BYTES } from "../rows/sizes.ts";
import type { StoredFacets } from "../store.ts";
import type { CandidateRequest } from "./candidates.ts";
import type { MatchedQuery } from "./matched-query.ts";

/**
 * Up to this many matches, facets count all of them. Beyond, they count the last written matches of each stream, in proportion to
 * its share; authors are looked up record by record, so in fewer matches.
 */
const FACET_DOCS = 4_096;
const PEOPLE_DOCS = 1_024;
const DAY_MS = 24 * 60 * 60 * 1000;
const SHOWN = { sources: 50, months: 36, people: 20 };

export async function countFacets({ sql, owner, requests }: MatchedQuery): Promise<StoredFacets> {
  const sources: StoredFacets["sources"][number][] = [];
  const months = new Map<string, number>();
  const people = new Map<string, StoredFacets["people"][number]>();
  const sizes = requests.map(({ matching }) => matching.size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  for (const [at, request] of requests.entries()) {
    const count = sizes[at] as number;
    if (count === 0) continue;
    const { connection_id, stream } = request.index.partition;
    sources.push({ connection_id, stream, count });
    const listLast = (most: number) =>
      request.matching.listLast(total <= FACET_DOCS ? count : Math.ceil((count * most) / total));
    await countMonths(request, listLast(FACET_DOCS), months);
    await countPeople({ sql, owner }, request, listLast(PEOPLE_DOCS), people);
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
  const field = index.partition.shape.consent_time_field;
  if (field === undefined || !index.partition.granted.has(field)) return;
  const byDay = new Map<number, number>();
  for (const time_ms of await index.columns.times(docs)) {
    const day = Math.floor(time_ms / DAY_MS);
    if (!Number.isNaN(day)) byDay.set(day, (byDay.get(day) ?? 0) + 1);
  }
  for (const [day, count] of byDay) {
    const month = new Date(day * DAY_MS).toISOString().slice(0, -17);
    months.set(month, (months.get(month) ?? 0) + count);
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
