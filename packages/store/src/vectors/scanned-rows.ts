/** Reads the rows of `vectors` of a partition: all of them, or those around some documents. */
import type { Sql } from "../database.ts";
import { eachPassage, type RowOwner, type StoredPassage, toRows, type VectorRow } from "./vector-rows.ts";

const PAGE_ROWS = 256;

export interface RowPlace extends RowOwner {
  readonly sql: Sql;
}

/** All rows of a partition, a page at a time. */
export async function* readAllRows({ sql, owner, partition, model }: RowPlace): AsyncGenerator<VectorRow[]> {
  let after = [-1, -1];
  for (;;) {
    const rows = await sql.all<VectorRow>(
      `SELECT first_doc, number, body FROM vectors WHERE owner = $1 AND part = $2 AND model = $3
         AND (first_doc, number) > ($4, $5) ORDER BY first_doc, number LIMIT ${PAGE_ROWS}`,
      [owner, partition, model, ...after],
    );
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return;
    after = [last.first_doc, last.number];
  }
}

/**
 * The rows that may hold passages of some documents: the last one that begins before a document, and those that begin with it. They
 * are looked up by their keys, so that few documents of a large stream take time by their own number.
 */
export async function* readRowsAround(
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
    yield await sql.all<VectorRow>(
      `SELECT first_doc, number, body FROM vectors WHERE owner = $1 AND part = $2 AND model = $3
         AND ${sql.dialect.isAnyNumber("first_doc", "$4")} ORDER BY first_doc, number`,
      [owner, partition, model, firsts.slice(start, start + PAGE_ROWS)],
    );
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
