import type { Sql, SqlRow } from "../database.ts";
import type { StoredText } from "../rows/chunks.ts";

/** How close clauses must be to count as one place: in words, and in characters. */
export const POSITION_SPAN = 60;
export const INLINE_SPAN = 320;

/** A long text whose tokens are in the index. */
export interface IndexedText extends StoredText, SqlRow {
  doc: number;
  text_no: number;
  start_char: number;
  size_chars: number;
  path: string;
  digest: string;
  first_position: number;
  end_position: number;
}

/** The text of a document's field that contains a token position. */
export async function textAtPosition(
  sql: Sql,
  owner: number,
  doc: number,
  field: string,
  position: number,
): Promise<IndexedText | undefined> {
  const [row] = await sql.all<IndexedText>(
    `SELECT doc, text_no, start_char, path, size_chars, digest, first_position, end_position FROM texts
     WHERE owner = $1 AND doc = $2 AND field = $3 AND first_position <= $4 ORDER BY first_position DESC LIMIT 1`,
    [owner, doc, field, position],
  );
  return row && position < row.end_position ? row : undefined;
}
