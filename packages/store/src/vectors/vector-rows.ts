/** The rows of the table `vectors`: many passages each, with where they are and their quantised vectors. */
import type { SqlContext, SqlRow, Value, WriteSql } from "../database.ts";
import { ByteReader, ByteWriter } from "../index/blocks.ts";

/** The vectors of a row, so that it fits a page of PostgreSQL with the places of short passages. */
const ROW_VECTOR_BYTES = 6_144;
const LEAST_ROW_PASSAGES = 8;
/** This many small rows at the end of a partition are joined into one. */
const SMALL_ROWS = 16;
const PAGE_ROWS = 64;
/** Most documents have their passages in one row or two. */
const FEW_ROWS = 4;

/** Where a passage is: the number of its field, and its code points. */
export interface PassagePlace {
  readonly field: number;
  readonly start_chars: number;
  readonly end_chars: number;
}

/** A passage of a document with its quantised vector. */
export interface StoredPassage extends PassagePlace {
  readonly doc: number;
  readonly vector: Uint8Array;
}

export interface VectorRow extends SqlRow {
  first_doc: number;
  number: number;
  body: Uint8Array;
}

interface SizedRow extends SqlRow {
  first_doc: number;
  last_doc: number;
  number: number;
  size: number;
  model: string;
}

/** What a row is written with beside its passages. */
export interface RowOwner {
  readonly owner: number;
  readonly partition: number;
  readonly model: string;
}

/** How many passages a row has at most: 192 of the built-in embedder. */
export function countRowPassages(vectorBytes: number): number {
  return Math.max(LEAST_ROW_PASSAGES, Math.floor(ROW_VECTOR_BYTES / vectorBytes));
}

/** A row for passages in order of their documents, all with vectors of the same size. */
export function toRow(
  { owner, partition, model }: RowOwner,
  number: number,
  passages: readonly StoredPassage[],
): Value[] {
  const first = (passages[0] as StoredPassage).doc;
  const last = (passages.at(-1) as StoredPassage).doc;
  return [owner, partition, first, number, last, passages.length, model, packPassages(first, passages)];
}

/** As many rows as the passages need, which are in order of their documents. */
export function toRows(
  place: RowOwner,
  passages: readonly StoredPassage[],
  takeNumber: () => number,
): Value[][] {
  const most = countRowPassages(passages[0]?.vector.length ?? 1);
  const rows: Value[][] = [];
  for (let start = 0; start < passages.length; start += most)
    rows.push(toRow(place, takeNumber(), passages.slice(start, start + most)));
  return rows;
}

function packPassages(first_doc: number, passages: readonly StoredPassage[]): Uint8Array {
  const writer = new ByteWriter(passages.length * 40);
  writer.varint(passages.length);
  let doc = first_doc;
  for (const passage of passages) {
    writer.varint(passage.doc - doc);
    writer.varint(passage.field);
    writer.varint(passage.start_chars);
    writer.varint(passage.end_chars - passage.start_chars);
    doc = passage.doc;
  }
  for (const { vector } of passages) writer.copy(vector);
  return writer.take();
}

/** Called with a passage and where its vector begins in the row's body. */
export type PassageSink = (doc: number, field: number, start: number, end: number, at: number) => void;

/** Visits the passages of a row in order. */
export function eachPassage({ first_doc, body }: VectorRow, bytes: number, visit: PassageSink): void {
  const reader = new ByteReader(body);
  const count = reader.varint();
  let at = body.length - count * bytes;
  let doc = first_doc;
  for (let left = count; left > 0; left -= 1) {
    doc += reader.varint();
    const field = reader.varint();
    const start = reader.varint();
    visit(doc, field, start, start + reader.varint(), at);
    at += bytes;
  }
}

function unpack(row: VectorRow): StoredPassage[] {
  const passages: StoredPassage[] = [];
  eachPassage(row, countBytesEach(row.body), (doc, field, start_chars, end_chars, at) => {
    passages.push({
      doc,
      field,
      start_chars,
      end_chars,
      vector: row.body.subarray(at, at + countBytesEach(row.body)),
    });
  });
  return passages;
}

/** How many bytes each vector of a row takes. */
function countBytesEach(body: Uint8Array): number {
  const reader = new ByteReader(body);
  const count = reader.varint();
  for (let left = 4 * count; left > 0; left -= 1) reader.varint();
  return (body.length - reader.at) / count;
}

/**
 * The passages that a model has of a document. Rows of a model and a partition do not overlap, except that a document may
 * begin in one and end in the next.
 */
export async function readPassagesOf(
  { sql, owner }: SqlContext,
  { partition, model }: Omit<RowOwner, "owner">,
  doc: number,
): Promise<StoredPassage[]> {
  const found: StoredPassage[] = [];
  for (let skipped = 0; ; skipped += FEW_ROWS) {
    const rows = await sql.all<VectorRow & SizedRow>(
      `SELECT first_doc, last_doc, number, body FROM vectors WHERE owner = $1 AND part = $2 AND model = $3 AND first_doc <= $4
       ORDER BY first_doc DESC, number DESC LIMIT ${FEW_ROWS} OFFSET ${skipped}`,
      [owner, partition, model, doc],
    );
    for (const row of openRows({ sql, owner }, partition, rows)) {
      if (row.last_doc < doc) return found;
      found.push(...unpack(row).filter((passage) => passage.doc === doc));
    }
    if (rows.length < FEW_ROWS) return found;
  }
}

/** Rows of a partition with their bodies open. */
export function openRows<Row extends VectorRow>(
  { sql, owner }: SqlContext,
  partition: number,
  rows: readonly Row[],
): Row[] {
  return rows.map((row) => {
    const key = [owner, partition, row.first_doc, row.number] as const;
    return { ...row, body: sql.dialect.openBody("vectors", key, row.body) };
  });
}

/** Takes the rows of a model that begin after a document, up to another, out of a partition. */
export async function takeVectorRows(
  { sql, owner }: SqlContext<WriteSql>,
  { partition, model }: Omit<RowOwner, "owner">,
  { after, through }: { readonly after: number; readonly through: number },
): Promise<StoredPassage[]> {
  const rows = await readVectorRows({ sql, owner }, { partition, model }, { after, through });
  for (const row of rows) await deleteRow(sql, owner, partition, row);
  return rows.flatMap(unpack);
}

/** The rows of a model that begin after a document, up to another. */
export async function readVectorRows(
  { sql, owner }: SqlContext,
  { partition, model }: Omit<RowOwner, "owner">,
  { after, through }: { readonly after: number; readonly through: number },
): Promise<VectorRow[]> {
  const rows = await sql.all<VectorRow>(
    `SELECT first_doc, number, body FROM vectors WHERE owner = $1 AND part = $2 AND model = $3
       AND first_doc > $4 AND first_doc <= $5 ORDER BY first_doc, number`,
    [owner, partition, model, after, through],
  );
  return openRows({ sql, owner }, partition, rows);
}

/** Drops the passages of documents (ascending) that left the index. */
export async function dropPassages(
  { sql, owner }: SqlContext<WriteSql>,
  partition: number,
  gone: readonly number[],
): Promise<void> {
  if (gone.length === 0) return;
  const dropped = new Set(gone);
  const range = [gone[0] as number, gone.at(-1) as number];
  let after = [-1, -1];
  for (;;) {
    const rows = await sql.all<VectorRow & SizedRow>(
      `SELECT first_doc, number, size, model, body FROM vectors WHERE owner = $1 AND part = $2 AND first_doc <= $4 AND last_doc >= $3
         AND (first_doc, number) > ($5, $6) ORDER BY first_doc, number LIMIT ${PAGE_ROWS}`,
      [owner, partition, ...range, ...after],
    );
    for (const row of openRows({ sql, owner }, partition, rows)) {
      const kept = unpack(row).filter(({ doc }) => !dropped.has(doc));
      if (kept.length === row.size) continue;
      await deleteRow(sql, owner, partition, row);
      if (kept.length > 0)
        await sql.insert("vectors", [toRow({ owner, partition, model: row.model }, row.number, kept)]);
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return;
    after = [last.first_doc, last.number];
  }
}

/** The newest rows of a model up to a document, and where numbers for new rows come from. */
export interface JoinedRows {
  readonly partition: number;
  readonly model: string;
  readonly vectorBytes: number;
  readonly through_doc: number;
  takeNumber(): number;
}

/** Joins the newest rows of a partition when many of them are small. */
export async function joinSmallRows(
  { sql, owner }: SqlContext<WriteSql>,
  { partition, model, vectorBytes, through_doc, takeNumber }: JoinedRows,
): Promise<void> {
  const most = countRowPassages(vectorBytes);
  const newest = await sql.all<SizedRow>(
    `SELECT first_doc, number, size FROM vectors WHERE owner = $1 AND part = $2 AND model = $3 AND first_doc <= $4
     ORDER BY first_doc DESC, number DESC LIMIT ${SMALL_ROWS}`,
    [owner, partition, model, through_doc],
  );
  const { first_doc } = newest.at(-1) ?? {};
  if (newest.length < SMALL_ROWS || first_doc === undefined) return;
  if (!newest.every((row) => row.size < most / 2)) return;
  const wanted = new Set(newest.map(({ number }) => number));
  const found = await sql.all<VectorRow>(
    `SELECT first_doc, number, body FROM vectors WHERE owner = $1 AND part = $2 AND first_doc >= $3 ORDER BY first_doc, number`,
    [owner, partition, first_doc],
  );
  const joined = found.filter(({ number }) => wanted.has(number));
  const rows = openRows({ sql, owner }, partition, joined);
  const passages = rows.flatMap(unpack);
  for (const row of rows) await deleteRow(sql, owner, partition, row);
  await sql.insert("vectors", toRows({ owner, partition, model }, passages, takeNumber));
}

async function deleteRow(
  sql: WriteSql,
  owner: number,
  partition: number,
  row: { first_doc: number; number: number },
): Promise<void> {
  await sql.run("DELETE FROM vectors WHERE owner = $1 AND part = $2 AND first_doc = $3 AND number = $4", [
    owner,
    partition,
    row.first_doc,
    row.number,
  ]);
}
