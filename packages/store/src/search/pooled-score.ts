/** Scores records with their neighbours: a word counts in full if the record has it, and less if only a neighbour has it. */

import { seesThreads } from "@rungs/contract";
import { meetsConditions, type ScopedContext, timeWithin } from "../catalog/scope-sql.ts";
import { Parameters, type Sql } from "../database.ts";
import { lowerBound } from "../index/list-ranges.ts";
import { computeScore } from "../index/match.ts";
import type { MatchedClause } from "./clauses.ts";
import type { ScopedIndex } from "./scoped-index.ts";

/** How much more a record with all the words counts than one whose neighbours lend some of them; with fewer words, that falls steeply. */
const WHOLE = { weight: 0.7, power: 6 };

/** The weight of a word that the first or the second neighbour has. */
const LENT = [0.5, 0.3];

/** The least that the name of a record's author counts: as much as a word that one record in 190 has. */
const AUTHOR_WEIGHT = 12;

export interface ScoredWindow {
  readonly docs: Uint32Array;
  readonly scores: Float64Array;
}

export interface PooledRequest {
  readonly clauses: readonly MatchedClause[];
  readonly total: number;
  /** The documents of `contributions`, ascending. */
  readonly docs: Uint32Array;
  readonly contributions: readonly Float64Array[];
  /** The documents to score, ascending. */
  readonly members: Uint32Array;
  readonly neighbours: ReadonlyMap<number, Neighbours>;
  /** For each clause, the documents whose author it names, ascending. */
  readonly byAuthor: readonly (readonly Uint32Array[])[];
}

export function addUpPooled(request: PooledRequest): ScoredWindow {
  const { clauses, total, docs, contributions, members, neighbours } = request;
  const scores = new Float64Array(members.length);
  for (const [at, doc] of members.entries()) {
    const places = [{ place: lowerBound(docs, doc), share: 1 }];
    const { before = [], after = [] } = neighbours.get(doc) ?? {};
    for (const side of [before, after])
      for (const [far, one] of side.entries())
        places.push({ place: lowerBound(docs, one), share: LENT[far] as number });
    let sum = 0;
    let covered = 0;
    let own = 0;
    for (const [number, { weight }] of clauses.entries()) {
      let most = 0;
      for (const { place, share } of places)
        most = Math.max(most, share * ((contributions[number] as Float64Array)[place] as number));
      if (most === 0) continue;
      sum += most;
      covered += weight;
      if (((contributions[number] as Float64Array)[places[0]!.place] as number) > 0) own += weight;
    }
    if (sum === 0) continue;
    const whole = 1 + WHOLE.weight * (own / total) ** WHOLE.power;
    scores[at] = computeScore(sum, covered, total) * whole + liftAuthor(request, doc);
  }
  return { docs: members, scores };
}

/** What a score lacks of the least that a named author counts. */
function liftAuthor({ clauses, byAuthor }: PooledRequest, doc: number): number {
  const least = AUTHOR_WEIGHT;
  let lift = 0;
  for (const [number, { clause, weight }] of clauses.entries()) {
    if (clause.need === "excluded" || weight >= least) continue;
    if (byAuthor[number]?.some((docs) => docs[lowerBound(docs, doc)] === doc))
      lift = Math.max(lift, least - weight);
  }
  return lift;
}

/** How many records on either side of a record in its thread count as its neighbours. */
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
