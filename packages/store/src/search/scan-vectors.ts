/** Finds the passages in scope that are nearest in meaning to a query. */
import type { Query } from "@rungs/evidence";
import { docInScope } from "../catalog/scope-sql.ts";
import type { ScopedPartition } from "../catalog/scoped-partition.ts";
import { Parameters, type Sql } from "../database.ts";
import { fieldFilter } from "../read/filters.ts";
import type { ScalarFilter, StoredMeaning } from "../store.ts";
import { listCarried } from "../vectors/embed-records.ts";
import { type Embedder, EmbedderError } from "../vectors/embedder.ts";
import { listGrantedFields, readProgress } from "../vectors/embedders.ts";
import {
  countVectorBytes,
  createSimilarity,
  eachPassage,
  openRows,
  type PassagePlace,
  type RowOwner,
  type Similarity,
  type StoredPassage,
  toRows,
  type VectorRow,
} from "../vectors/vector-rows.ts";
import type { MatchedQuery } from "./matched-query.ts";
import type { ScopedIndex } from "./scoped-index.ts";

/** From this similarity on, a passage counts as similar: its record may be a hit without any of the words. */
const LEAST_SIMILARITY = 0.6;

/** A query's vector, ready to be compared. */
export interface Meaning {
  readonly embedder: Embedder;
  readonly vectorBytes: number;
  readonly similarity: Similarity;
}

/** A record's passage that is nearest to the query. */
export interface SimilarPassage extends PassagePlace {
  readonly similarity: number;
  /** Whether it is near enough to be a hit without any of the words. */
  readonly isSimilar: boolean;
}

/** The vector of a query's words; undefined if the embedder knows none of them. */
export async function readMeaning(
  embedder: Embedder,
  { clauses }: Query,
): Promise<Meaning | "unavailable" | undefined> {
  try {
    const texts = clauses
      .filter(({ need }) => need !== "excluded")
      .map(({ text }) => text.replaceAll("*", ""));
    const vector = await embedder.embedQuery(texts.join(" "));
    if (!vector.some((value) => value !== 0)) return undefined;
    const { baseline } = embedder;
    const cosine = createSimilarity(vector);
    return {
      embedder,
      vectorBytes: countVectorBytes(embedder.dimensions),
      similarity:
        baseline === 0 ? cosine : (bytes, from) => (cosine(bytes, from) - baseline) / (1 - baseline),
    };
  } catch (error) {
    if (error instanceof EmbedderError) return "unavailable";
    throw error;
  }
}

/** The nearest granted passage of each of `members` and, with `everywhere`, of each similar document. */
export async function scanVectors(
  sql: Sql,
  owner: number,
  { partition, allows, few, narrow }: ScopedIndex,
  meaning: Meaning,
  { members, everywhere }: { readonly members: ReadonlySet<number>; readonly everywhere: boolean },
): Promise<Map<number, SimilarPassage>> {
  const nearest = new Map<number, SimilarPassage>();
  const granted = new Set(listGrantedFields(partition));
  if (granted.size === 0) return nearest;
  const place = { sql, owner, partition: partition.id, model: meaning.embedder.id };
  const wanted = everywhere ? few : members;
  const scanned = () => (wanted ? readRowsAround(place, wanted) : readAllRows(place));
  for await (const rows of narrow ? narrow.readVectors(place, meaning.vectorBytes) : scanned()) {
    for (const row of rows) {
      eachPassage(row, meaning.vectorBytes, (doc, field, start_chars, end_chars, at) => {
        if (!granted.has(field) || !(allows?.(doc) ?? true)) return;
        const isMember = members.has(doc);
        if (!isMember && !everywhere) return;
        const similarity = meaning.similarity(row.body, at);
        if (!isMember && similarity < LEAST_SIMILARITY) return;
        if (similarity > (nearest.get(doc)?.similarity ?? 0))
          nearest.set(doc, {
            field,
            start_chars,
            end_chars,
            similarity,
            isSimilar: similarity >= LEAST_SIMILARITY,
          });
      });
    }
  }
  return nearest;
}

/** How many rows of `vectors` are read at a time. */
const PAGE_ROWS = 256;

export interface RowPlace extends RowOwner {
  readonly sql: Sql;
}

/** All rows of a partition, a page at a time. */
async function* readAllRows({ sql, owner, partition, model }: RowPlace): AsyncGenerator<VectorRow[]> {
  let after = [-1, -1];
  for (;;) {
    const rows = await sql.all<VectorRow>(
      `SELECT first_doc, number, body FROM vectors WHERE owner = $1 AND part = $2 AND model = $3
         AND (first_doc, number) > ($4, $5) ORDER BY first_doc, number LIMIT ${PAGE_ROWS}`,
      [owner, partition, model, ...after],
    );
    yield openRows({ sql, owner }, partition, rows);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return;
    after = [last.first_doc, last.number];
  }
}

/**
 * The rows that may hold passages of some documents: the last one that begins before a document, and those that begin with it. They
 * are looked up by their keys, so that the cost for a few documents of a large stream depends on their number.
 */
async function* readRowsAround(
  { sql, owner, partition, model }: RowPlace,
  docs: ReadonlySet<number>,
): AsyncGenerator<VectorRow[]> {
  if (docs.size === 0) return;
  const sorted = [...docs].sort((a, b) => a - b);
  const before = await sql.all<{ first_doc: number | null }>(
    `SELECT DISTINCT (SELECT v.first_doc FROM vectors v WHERE v.owner = $1 AND v.part = $2 AND v.model = $3 AND v.first_doc < d.value
       ORDER BY v.first_doc DESC LIMIT 1) AS first_doc FROM ${sql.dialect.numbersOf("$4", "d")}`,
    [owner, partition, model, sorted],
  );
  const firsts = [
    ...new Set([...before.flatMap(({ first_doc }) => (first_doc === null ? [] : [first_doc])), ...sorted]),
  ].sort((a, b) => a - b);
  for (let start = 0; start < firsts.length; start += PAGE_ROWS) {
    const rows = await sql.all<VectorRow>(
      `SELECT first_doc, number, body FROM vectors WHERE owner = $1 AND part = $2 AND model = $3
         AND ${sql.dialect.isAnyNumber("first_doc", "$4")} ORDER BY first_doc, number`,
      [owner, partition, model, firsts.slice(start, start + PAGE_ROWS)],
    );
    yield openRows({ sql, owner }, partition, rows);
  }
}

/** Rows with the passages of these documents alone, as a stream that holds only them would have. */
export async function packRowsOf(
  place: RowPlace,
  docs: ReadonlySet<number>,
  vectorBytes: number,
): Promise<VectorRow[]> {
  const passages: StoredPassage[] = [];
  for await (const rows of readRowsAround(place, docs))
    for (const row of rows)
      eachPassage(row, vectorBytes, (doc, field, start_chars, end_chars, at) => {
        if (!docs.has(doc)) return;
        passages.push({ doc, field, start_chars, end_chars, vector: row.body.slice(at, at + vectorBytes) });
      });
  let next = 0;
  const packed = toRows(place, passages, () => next++);
  return packed.map(([, , first_doc, number, , , , body]) => ({ first_doc, number, body }) as VectorRow);
}

/**
 * Counts the records of a scope that were compared by meaning, while the vectors of some are still to come (R17). Undefined where every
 * record was compared, and where a query compares no meaning.
 */
export async function describeMeaning(
  { sql, owner, indexes, meaning }: MatchedQuery,
  filtersOf: (partition: ScopedPartition) => readonly ScalarFilter[],
): Promise<StoredMeaning | undefined> {
  const embedded = indexes.filter(({ partition }) => listGrantedFields(partition).length > 0);
  const of = embedded.reduce((sum, { total }) => sum + total, 0);
  if (typeof meaning === "string") return { state: meaning, compared: 0, of };
  if (!meaning) return undefined;
  const { through, last } = await readProgress({ sql, owner }, meaning.embedder.id);
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
