/** Finds the neighbours of records in their threads, within the scope. */

import { seesThreads } from "@rungs/contract";
import { meetsConditions, type ScopedContext, timeWithin } from "../catalog/scope-sql.ts";
import type { Sql } from "../database.ts";
import { Parameters } from "../database.ts";
import type { ScopedIndex } from "./scoped-index.ts";

/** How many records on either side count. */
const REACH = 2;

/** The neighbours of each document that meet the request's filters, the nearest first: `before` and `after`. */
export interface Neighbours {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

export async function readNeighbours(
  sql: Sql,
  owner: number,
  { partition, covers, allows }: ScopedIndex,
  docs: readonly number[],
): Promise<Map<number, Neighbours>> {
  if (docs.length === 0 || !seesThreads(partition.shape, partition.granted)) return new Map();
  // With a scope of single records the nearest neighbours may be out of scope, so look further.
  const depth = partition.scope.record_ids ? 32 : REACH;
  const parameters = new Parameters();
  const ownerParameter = parameters.add(owner);
  const docsParameter = parameters.add(docs);
  const columns = Array.from({ length: depth }, (_, offset) =>
    [
      { name: "before", compare: "<", order: "DESC" },
      { name: "after", compare: ">", order: "ASC" },
    ].map(({ name, compare, order }) => {
      const inside = [
        ...timeWithin(parameters, partition.scope.time, "t.time_ms"),
        ...meetsConditions({ sql, owner, partition }, parameters, "t.doc"),
        ...notHidden({ sql, owner, partition }, parameters, "t.doc"),
      ].map((one) => ` AND ${one}`);
      return `(SELECT t.doc FROM threads t WHERE t.owner = x.owner AND t.part = x.part AND t.thread = x.thread
        AND (t.time_ms, t.place) ${compare} (x.time_ms, x.place)${inside.join("")}
        ORDER BY t.time_ms ${order}, t.place ${order} LIMIT 1 OFFSET ${offset}) AS ${name}${offset}`;
    }),
  ).flat();
  const rows = await sql.all<Record<string, number | null>>(
    `SELECT x.doc, ${columns.join(", ")} FROM threads x WHERE x.owner = ${ownerParameter} AND ${sql.dialect.isAnyNumber("x.doc", docsParameter)}`,
    parameters.values,
  );
  return new Map(
    rows.map((row) => {
      const list = (name: string) =>
        Array.from({ length: depth }, (_, offset) => row[`${name}${offset}`])
          .filter((doc) => typeof doc === "number")
          .filter((doc) => covers?.(doc) ?? true)
          .slice(0, REACH)
          .filter((doc) => allows?.(doc) ?? true);
      return [row.doc as number, { before: list("before"), after: list("after") }];
    }),
  );
}

/** The neighbours that the owner hides by their keys do not count: the next one takes their place. */
function notHidden({ sql, owner, partition }: ScopedContext, parameters: Parameters, doc: string): string[] {
  const ids = partition.scope.never?.record_ids ?? [];
  if (ids.length === 0) return [];
  return [
    `${doc} NOT IN (SELECT r.doc FROM records r WHERE r.owner = ${parameters.add(owner)} AND r.part = ${parameters.add(partition.id)} AND ${sql.dialect.isAnyText("r.record_id", parameters.add(ids))})`,
  ];
}
