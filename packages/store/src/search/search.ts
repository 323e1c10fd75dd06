import { formatRecordId, type Query } from "@rungs/evidence";
import type { Catalog, ScopedPartition } from "../catalog/catalog.ts";
import { docInScope, recordInScope } from "../catalog/scope-sql.ts";
import { type Database, Parameters, type Sql } from "../database.ts";
import { ColumnCache } from "../index/column-cache.ts";
import type { ColumnReader } from "../index/column-reader.ts";
import { ColumnKind } from "../index/keys.ts";
import { lowerBound } from "../index/list-ranges.ts";
import { type Allows, type ClauseMatches, matchClause } from "../index/match.ts";
import { intersect } from "../index/postings.ts";
import { addScores, clauseWeight } from "../index/rank.ts";
import type { IndexReader } from "../index/reader.ts";
import { RECORD_COLUMNS, type RecordRow, toStoredRecord } from "../rows/record-rows.ts";
import type { SearchPosition, Store, StoredHit } from "../store.ts";
import { readersOf } from "./open-index.ts";
import { proveHit } from "./prove.ts";
import { listDead, listSegments, type Segment } from "./segments.ts";
import { type Candidate, compareCandidates, type Order, selectBest } from "./select-best.ts";

const TITLE_WEIGHT = 2;

/** A partition with what the query finds in it. */
interface Searched {
  readonly partition: ScopedPartition;
  readonly reader: IndexReader;
  readonly columns: ColumnReader;
  readonly fields: readonly { name: string; number: number; weight: number }[];
  readonly total: number;
  readonly clauses: readonly ClauseMatches[];
  /** Documents that every clause matches, rising. */
  readonly docs: Uint32Array;
}

export function createSearch(database: Database, catalog: Catalog) {
  const cache = new ColumnCache();
  return {
    async search(scope, { query, limit, after }) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(async (sql) => {
        const searched: Searched[] = [];
        for (const partition of await catalog.listScopedPartitions({ sql, owner }, scope)) {
          const found = await searchPartition(sql, owner, partition, query, cache);
          if (found) searched.push(found);
        }
        const total = sum(searched.map((one) => one.total));
        const weights = query.clauses.map((_, at) =>
          clauseWeight(sum(searched.map((one) => one.clauses[at]?.docs.length ?? 0)), total),
        );
        const scores: Float64Array[] = [];
        for (const one of searched) scores.push(await scorePartition(one, weights));
        const count = sum(searched.map((one) => one.docs.length));
        const best = await selectBest(
          searched.map((one, at) => ({
            docs: one.docs,
            scores: scores[at] as Float64Array,
            orderOf: orderOf(one),
          })),
          limit + 1,
          after,
        );
        const hits = await readHits(sql, owner, query, searched, best, limit + 1, after);
        return { hits: hits.slice(0, limit), count, has_more: hits.length > limit };
      });
    },
  } satisfies Partial<Store>;
}

async function searchPartition(
  sql: Sql,
  owner: number,
  partition: ScopedPartition,
  query: Query,
  cache: ColumnCache,
): Promise<Searched | undefined> {
  const fields = partition.shape.fields
    .filter((field) => field.lexical.length > 0 && partition.granted.has(field.name))
    .map((field) => ({
      name: field.name,
      number: partition.fieldNames.indexOf(field.name),
      weight: field.role === "primary-title" ? TITLE_WEIGHT : 1,
    }));
  if (fields.length === 0) return undefined;
  const segments = await listSegments(sql, owner, partition.id);
  const { reader, columns } = readersOf(sql, owner, segments, cache);
  const { allows, total } = await readLimits(sql, owner, partition, segments, columns);
  const numbers = fields.map((field) => field.number);
  const clauses: ClauseMatches[] = [];
  for (const clause of query.clauses) clauses.push(await matchClause(reader, clause, numbers, allows));
  const docs = clauses.map((clause) => clause.docs).reduce(intersect);
  return { partition, reader, columns, fields, total, clauses, docs };
}

/** Which documents of a partition are there and inside the scope's limits, and how many. */
async function readLimits(
  sql: Sql,
  owner: number,
  partition: ScopedPartition,
  segments: readonly Segment[],
  columns: ColumnReader,
): Promise<{ allows: Allows; total: number }> {
  const { time, record_ids } = partition.scope;
  if (record_ids) {
    const parameters = new Parameters();
    const rows = await sql.all<{ doc: number }>(
      `SELECT r.doc FROM records r WHERE ${recordInScope({ sql, owner, partition }, parameters, "r")}`,
      parameters.values,
    );
    const docs = new Set(rows.map((row) => row.doc));
    return { allows: (doc) => docs.has(doc), total: docs.size };
  }
  const dead = new Set(await listDead(sql, owner, partition.id));
  if (time?.since_ms === undefined && time?.until_ms === undefined) {
    return {
      allows: dead.size === 0 ? undefined : (doc) => !dead.has(doc),
      total: sum(segments.map((segment) => segment.doc_count)) - dead.size,
    };
  }
  const since = time.since_ms ?? Number.NEGATIVE_INFINITY;
  const until = time.until_ms ?? Number.POSITIVE_INFINITY;
  const first = segments[0]?.first_doc ?? 0;
  const inside = new Uint8Array((segments.at(-1)?.last_doc ?? 0) - first + 1);
  let total = 0;
  await columns.eachTime((doc, time_ms) => {
    if (dead.has(doc) || time_ms < since || time_ms >= until) return;
    inside[doc - first] = 1;
    total += 1;
  });
  return { allows: (doc) => inside[doc - first] === 1, total };
}

async function scorePartition(
  { docs, clauses, fields, columns }: Searched,
  weights: readonly number[],
): Promise<Float64Array> {
  const scores = new Float64Array(docs.length);
  if (docs.length === 0) return scores;
  const lengths = new Map<number, Float64Array>();
  for (const { number } of fields) {
    if (clauses.some((clause) => clause.byField.has(number)))
      lengths.set(number, await columns.column(ColumnKind.length, number, docs));
  }
  for (const [at, clause] of clauses.entries()) {
    const counts = fields.flatMap(({ number, weight }) => {
      const postings = clause.byField.get(number);
      return postings ? [{ postings, weight, lengths: lengths.get(number) as Float64Array }] : [];
    });
    addScores(scores, docs, counts, weights[at] as number);
  }
  return scores;
}

/** What orders equal scores: the newest first where the scope covers the time, then a number that tells nothing. */
function orderOf({ partition, columns }: Searched): (docs: Uint32Array) => Promise<Order[]> {
  const field = partition.shape.consent_time_field;
  const granted = field !== undefined && partition.granted.has(field);
  return async (docs) => {
    const ties = await columns.column(ColumnKind.tie, 0, docs);
    const times = granted ? await columns.times(docs) : new Float64Array(docs.length).fill(Number.NaN);
    return Array.from(docs, (_, at) => {
      const time = times[at] as number;
      return { time_ms: Number.isNaN(time) ? null : time, tie: ties[at] as number };
    });
  };
}

async function readHits(
  sql: Sql,
  owner: number,
  query: Query,
  searched: readonly Searched[],
  best: readonly Candidate[],
  limit: number,
  after: SearchPosition | undefined,
): Promise<StoredHit[]> {
  const found: { candidate: Candidate & { id: string }; row: RecordRow; from: Searched }[] = [];
  for (const [number, from] of searched.entries()) {
    const mine = new Map(best.filter((one) => one.group === number).map((one) => [one.doc, one]));
    for (const row of await readRows(sql, owner, from.partition, [...mine.keys()])) {
      const id = formatRecordId({
        connection_id: from.partition.connection_id,
        stream: from.partition.stream,
        record_id: row.record_id,
      });
      found.push({ candidate: { ...(mine.get(row.doc) as Candidate), id }, row, from });
    }
  }
  found.sort((a, b) => compareCandidates(a.candidate, b.candidate));
  const page = found
    .filter(({ candidate }) => !after || compareCandidates(candidate, after) > 0)
    .slice(0, limit);
  const hits: StoredHit[] = [];
  for (const [at, { candidate, row, from }] of page.entries()) {
    const fields = matchedFields(from, candidate.doc);
    const record = toStoredRecord(from.partition, row, from.partition.granted);
    // The last one only tells that there is more.
    const proofs =
      at === limit - 1
        ? []
        : await proveHit(
            sql,
            { owner, partition: from.partition, reader: from.reader, query, fields },
            row.doc,
            record,
          );
    const { score, time_ms, tie, id } = candidate;
    hits.push({
      ...record,
      score,
      matched_fields: fields,
      proofs,
      position: { score, time_ms, tie, id },
    });
  }
  return hits;
}

function readRows(
  sql: Sql,
  owner: number,
  partition: ScopedPartition,
  docs: readonly number[],
): Promise<RecordRow[]> | RecordRow[] {
  if (docs.length === 0) return [];
  const parameters = new Parameters();
  return sql.all<RecordRow>(
    `SELECT ${RECORD_COLUMNS} FROM records r WHERE ${docInScope({ sql, owner, partition }, parameters, "r")} AND ${sql.dialect.isAnyNumber("r.doc", parameters.add(docs))}`,
    parameters.values,
  );
}

function matchedFields({ fields, clauses }: Searched, doc: number): string[] {
  const matched = fields.filter(({ number }) =>
    clauses.some((clause) => {
      const docs = clause.byField.get(number)?.docs;
      return docs !== undefined && docs[lowerBound(docs, doc)] === doc;
    }),
  );
  return matched.sort((a, b) => b.weight - a.weight).map((field) => field.name);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
