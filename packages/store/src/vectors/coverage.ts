/** Counts the records of a scope that were compared by meaning, while the vectors of some are still to come (R17). */
import type { ScopedPartition } from "../catalog/catalog.ts";
import { docInScope } from "../catalog/scope-sql.ts";
import { Parameters } from "../database.ts";
import { fieldFilter } from "../read/filters.ts";
import type { MatchedQuery } from "../search/matched-query.ts";
import type { ScopedIndex } from "../search/scoped-index.ts";
import type { ScalarFilter, StoredMeaning } from "../store.ts";
import { listCarried, readLastDoc } from "./embed-records.ts";
import type { Embedder } from "./embedder.ts";
import { readThroughDoc } from "./embedders.ts";
import { listGrantedFields } from "./passages.ts";

/** Undefined where every record was compared, and where a query compares no meaning. */
export async function describeMeaning(
  { sql, owner, indexes, meaning }: MatchedQuery,
  filtersOf: (partition: ScopedPartition) => readonly ScalarFilter[],
): Promise<StoredMeaning | undefined> {
  const embedded = indexes.filter(({ partition }) => listGrantedFields(partition).length > 0);
  const of = embedded.reduce((sum, { total }) => sum + total, 0);
  if (typeof meaning === "string") return { state: meaning, compared: 0, of };
  if (!meaning) return undefined;
  const through = await readThroughDoc({ sql, owner }, meaning.embedder.id);
  const last = await readLastDoc({ sql, owner });
  if (through >= last) return undefined;
  let waiting = 0;
  for (const index of embedded)
    waiting += await countWaiting(
      { sql, owner, index, embedder: meaning.embedder },
      { through, last },
      filtersOf(index.partition),
    );
  return waiting === 0 ? undefined : { state: "partial", compared: of - waiting, of };
}

interface Place extends Pick<MatchedQuery, "sql" | "owner"> {
  readonly index: ScopedIndex;
  readonly embedder: Embedder;
}

/** How many records lack the vectors of a granted field. */
async function countWaiting(
  { sql, owner, index, embedder }: Place,
  { through, last }: { readonly through: number; readonly last: number },
  filters: readonly ScalarFilter[],
): Promise<number> {
  const { partition, allows } = index;
  const context = { sql, owner, partition };
  const parameters = new Parameters();
  const conditions = [
    docInScope(context, parameters, "r"),
    `r.doc > ${parameters.add(through)}`,
    ...filters.map((filter) => fieldFilter(context, parameters, filter, "r.doc")),
  ];
  const [row] = await sql.all<{ records: number }>(
    `SELECT count(*) AS records FROM records r WHERE ${conditions.join(" AND ")}`,
    parameters.values,
  );
  const range = { after: through, through: last };
  const carried = await listCarried({ sql, owner }, { partition: partition.id, embedder }, range);
  const docs = new Set([...carried].map((place) => Number(place.split(" ")[0])));
  const fields = listGrantedFields(partition);
  const complete = [...docs].filter(
    (doc) => (allows?.(doc) ?? true) && fields.every((field) => carried.has(`${doc} ${field}`)),
  );
  return (row?.records ?? 0) - complete.length;
}
