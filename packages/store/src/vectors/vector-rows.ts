/** The rows of the table `vectors`: many passages each, with where they are and their vectors, 4 bits a dimension; and how vectors are compared. */
import type { SqlContext, SqlRow, Value } from "../database.ts";
import { ByteReader, ByteWriter } from "../index/blocks.ts";

/** The vectors of a row, so that it fits a page of PostgreSQL with the places of short passages. */
const ROW_VECTOR_BYTES = 6_144;
const LEAST_ROW_PASSAGES = 8;
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

export interface SizedRow extends SqlRow {
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

export function unpack(row: VectorRow): StoredPassage[] {
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
export async function readDocumentPassages(
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

/** Brings a vector to length 1; zeros stay. */
export function normalise(
  vector: ArrayLike<number>,
  scaled: Float32Array = new Float32Array(vector.length),
): Float32Array {
  let squares = 0;
  for (let at = 0; at < vector.length; at += 1) squares += (vector[at] as number) ** 2;
  const length = Math.sqrt(squares) || 1;
  for (let at = 0; at < vector.length; at += 1) scaled[at] = (vector[at] as number) / length;
  return scaled;
}

/** Whether a vector is not all zeros: whether its text has a known word. */
export function hasDirection(vector: Float32Array): boolean {
  return vector.some((value) => value !== 0);
}

const STEPS = 7;
/** Values of a vector of length 1 seldom exceed this many times their average size; larger ones are clamped. */
const CLAMP = 2.5;
const ZERO = 8;

/** How many bytes a quantised vector takes. */
export function countVectorBytes(dimensions: number): number {
  return Math.ceil(dimensions / 2);
}

/** A vector of length 1, two dimensions a byte, the first in the low bits. */
export function quantise(vector: Float32Array): Uint8Array {
  const step = CLAMP / (STEPS * Math.sqrt(vector.length));
  const bytes = new Uint8Array(countVectorBytes(vector.length));
  for (let at = 0; at < bytes.length; at += 1) {
    const low = toStep(vector[2 * at] as number, step);
    const high = 2 * at + 1 < vector.length ? toStep(vector[2 * at + 1] as number, step) : ZERO;
    bytes[at] = low | (high << 4);
  }
  return bytes;
}

function toStep(value: number, step: number): number {
  return Math.max(-STEPS, Math.min(STEPS, Math.round(value / step))) + ZERO;
}

/** The cosine of a query's vector and the quantised vector at a place of `bytes`. */
export type Similarity = (bytes: Uint8Array, from: number) => number;

/** Looks products up by byte: a table for each pair of dimensions. */
export function createSimilarity(query: Float32Array): Similarity {
  const length = countVectorBytes(query.length);
  const products = new Float64Array(length << 8);
  const squares = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    const [low, high] = [(byte & 0x0f) - ZERO, (byte >> 4) - ZERO];
    squares[byte] = low * low + high * high;
    for (let at = 0; at < length; at += 1)
      products[(at << 8) | byte] = low * (query[2 * at] as number) + high * (query[2 * at + 1] ?? 0);
  }
  return (bytes, from) => {
    let product = 0;
    let square = 0;
    for (let at = 0; at < length; at += 1) {
      const byte = bytes[from + at] as number;
      product += products[(at << 8) | byte] as number;
      square += squares[byte] as number;
    }
    return square === 0 ? 0 : product / Math.sqrt(square);
  };
}
