/** Reads the records of the best candidates, and proves their matches. */
import { formatRecordId, parseFieldPath } from "@rungs/evidence";
import { docInScope } from "../catalog/scope-sql.ts";
import type { ScopedPartition } from "../catalog/scoped-partition.ts";
import { Parameters, type Sql } from "../database.ts";
import type { ClauseMatches } from "../index/match.ts";
import { RECORD_COLUMNS, type RecordRow, toStoredRecord } from "../rows/record-rows.ts";
import type { SearchPosition, StoredHit, StoredProof, StoredRecord } from "../store.ts";
import { ClauseCounter } from "./clause-scores.ts";
import type { MatchedClause } from "./clauses.ts";
import type { MatchedQuery } from "./matched-query.ts";
import { proveHit, quoteBody, quotePassage } from "./prove.ts";
import type { ScopedIndex } from "./scoped-index.ts";
import { type Candidate, compareCandidates } from "./select-best.ts";

/** A body of at most this many characters is shown although its words did not match. */
const SHORT_BODY_CHARS = 500;

interface Page {
  /** How many to read; the last one only signals that there are more, and is not proven. */
  readonly limit: number;
  readonly tier: 0 | 1;
  readonly after?: SearchPosition | undefined;
}

interface FoundRecord {
  readonly candidate: Candidate & { readonly id: string };
  readonly row: RecordRow;
  readonly index: ScopedIndex;
}

/** The records of `best` after a position, in order. */
export async function readHits(
  matched: MatchedQuery,
  best: readonly Candidate[],
  { limit, tier, after }: Page,
): Promise<StoredHit[]> {
  const found = await readRecords(matched, best);
  const isAfter = ({ candidate }: FoundRecord) =>
    after?.tier !== tier || compareCandidates(candidate, after) > 0;
  const page = found
    .sort((a, b) => compareCandidates(a.candidate, b.candidate))
    .filter(isAfter)
    .slice(0, limit);
  const fieldsOf = await findMatchedFields(
    matched,
    page.map(({ candidate }) => candidate),
  );
  const hits: StoredHit[] = [];
  for (const [at, { candidate, row, index }] of page.entries()) {
    const own = matched.clauses.filter((one) => hasClause(one, candidate));
    const record = toStoredRecord(index.partition, row, index.partition.granted);
    const fields = listMatchedFields(index, fieldsOf.get(candidate));
    const isExtra = at === limit - 1;
    const proofs = isExtra ? [] : await showHit(matched, { candidate, index, record, own, fields });
    const { score, time_ms, tie, id } = candidate;
    hits.push({
      ...record,
      score,
      matched_fields: fields,
      matched_clauses: [...new Set(own.map(({ asked }) => asked))].sort((a, b) => a - b),
      proofs,
      is_similar: candidate.passage !== undefined,
      position: { tier, score, time_ms, tie, id },
    });
  }
  return hits;
}

interface ShownHit extends Pick<FoundRecord, "candidate" | "index"> {
  readonly record: StoredRecord;
  /** The clauses that the record has, and the fields that have them. */
  readonly own: readonly MatchedClause[];
  readonly fields: readonly string[];
}

/**
 * The evidence of a hit: the matches of its deciding words, the similar passage of a record without them, and the body
 * as context, if it is short or nothing else distinguishes the hit. Light words are shown only if there is no body.
 */
async function showHit(
  { sql, owner }: MatchedQuery,
  { candidate, index, record, own, fields }: ShownHit,
): Promise<StoredProof[]> {
  const { reader, partition, forms } = index;
  const { doc, passage } = candidate;
  const prove = (clauses: readonly MatchedClause[]) => {
    const query = { clauses: clauses.map(({ clause }) => clause) };
    return proveHit(sql, { owner, partition, reader, forms, query, fields }, doc, record);
  };
  const telling = own.filter(({ isLight }) => !isLight);
  if (telling.length === 0 && passage) {
    const provenance = own.length === 0 ? "similar_passage" : "context";
    return quotePassage(sql, { owner, partition, provenance }, doc, record, passage);
  }
  const proofs = telling.length === 0 ? [] : await prove(telling);
  const [body] = quoteBody(partition, record);
  const isNew = body && !proofs.some(({ field_path }) => field_path === body.field_path);
  if (isNew && (body.size_chars <= SHORT_BODY_CHARS || namesOnlyAuthor(index, proofs))) proofs.push(body);
  return proofs.length > 0 ? proofs : prove(own);
}

async function readRecords(
  { sql, owner, indexes }: MatchedQuery,
  best: readonly Candidate[],
): Promise<FoundRecord[]> {
  const found: FoundRecord[] = [];
  for (const [number, index] of indexes.entries()) {
    const own = new Map(best.filter((one) => one.group === number).map((one) => [one.doc, one]));
    for (const row of await readRows(sql, owner, index.partition, [...own.keys()])) {
      const { connection_id, stream } = index.partition;
      const id = formatRecordId({ connection_id, stream, record_id: row.record_id });
      found.push({ candidate: { ...(own.get(row.doc) as Candidate), id }, row, index });
    }
  }
  return found;
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

function hasClause({ clause, matches }: MatchedClause, { group, doc }: Candidate): boolean {
  return clause.need !== "excluded" && (matches[group]?.docs.has(doc) ?? false);
}

/** The fields in which each hit matches a clause. */
async function findMatchedFields(
  { indexes, clauses }: MatchedQuery,
  hits: readonly Candidate[],
): Promise<ReadonlyMap<Candidate, ReadonlySet<number>>> {
  const found = new Map(hits.map((hit) => [hit, new Set<number>()]));
  for (const [group, { reader }] of indexes.entries()) {
    const own = hits.filter((hit) => hit.group === group).sort((a, b) => a.doc - b.doc);
    const docs = Uint32Array.from(own, ({ doc }) => doc);
    for (const { clause, matches } of clauses) {
      if (clause.need === "excluded" || docs.length === 0) continue;
      const { exact, forms } = await new ClauseCounter(reader, matches[group] as ClauseMatches).count(docs);
      for (const [field, counts] of [...exact, ...forms])
        for (const [at, hit] of own.entries()) if (counts[at] !== 0) found.get(hit)?.add(field);
    }
  }
  return found;
}

/** The names of matched fields, the title first. */
function listMatchedFields({ fields }: ScopedIndex, matched: ReadonlySet<number> | undefined): string[] {
  return fields
    .filter(({ number }) => matched?.has(number))
    .sort((a, b) => b.weight - a.weight)
    .map((field) => field.name);
}

/** Whether only the author's name was proven, which says nothing about the content. */
function namesOnlyAuthor({ fields }: ScopedIndex, proofs: readonly StoredProof[]): boolean {
  const authors = new Set(fields.filter(({ isAuthor }) => isAuthor).map(({ name }) => name));
  return proofs.every(({ field_path }) => authors.has(String(parseFieldPath(field_path)?.[0])));
}
