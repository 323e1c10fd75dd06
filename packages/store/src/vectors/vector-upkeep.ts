/** Changes the rows of `vectors`: drops passages, and joins rows that are small. */
import type { SqlContext, WriteSql } from "../database.ts";
import {
  countRowPassages,
  openRows,
  type RowOwner,
  readVectorRows,
  type SizedRow,
  type StoredPassage,
  toRow,
  toRows,
  unpack,
  type VectorRow,
} from "./vector-rows.ts";

/** This many small rows at the end of a partition are joined into one. */
const SMALL_ROWS = 16;
const PAGE_ROWS = 64;

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
