/** Reads pieces of long texts: only the chunks around what is asked for. */
import {
  charOfUnit,
  countChars,
  extentOf,
  listTokens,
  matchesAt,
  type QueryClause,
  sliceChars,
} from "@rungs/evidence";
import type { Row, Sql } from "../database.ts";
import { CHUNK_CHARS } from "../sizes.ts";

/** A long text of a document. */
export interface StoredText {
  readonly doc: number;
  readonly text_no: number;
  readonly size_chars: number;
}

interface ChunkRow extends Row {
  start_char: number;
  first_position: number | null;
  body: Uint8Array;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The code points `start` to `end` of a text. The chunk that holds the first begins less than a chunk's length before it. */
export async function readChars(
  sql: Sql,
  owner: number,
  text: StoredText,
  start: number,
  end: number,
): Promise<string> {
  if (end <= start) return "";
  const rows = await sql.all<ChunkRow>(
    `SELECT start_char, body FROM chunks WHERE owner = $1 AND doc = $2 AND text_no = $3 AND start_char > $4 AND start_char < $5
     ORDER BY start_char`,
    [owner, text.doc, text.text_no, start - CHUNK_CHARS, end],
  );
  return joinRange(sql, rows, start, end);
}

/** The code points `start` to `end` of chunks that hold them. */
export function joinRange(
  sql: Sql,
  rows: readonly { start_char: number; body: Uint8Array }[],
  start: number,
  end: number,
): string {
  const joined = rows.map((row) => decodeChunk(sql, row.body)).join("");
  const first = rows[0]?.start_char ?? 0;
  return sliceChars(joined, start - first, end - first);
}

/** Finds the characters of a match whose first token has `position`; undefined when the stored text does not have it there. */
export async function resolvePosition(
  sql: Sql,
  owner: number,
  text: StoredText,
  position: number,
  clause: QueryClause,
): Promise<{ start_chars: number; end_chars: number } | undefined> {
  const rows = await sql.all<ChunkRow>(
    `SELECT start_char, first_position, body FROM chunks WHERE owner = $1 AND doc = $2 AND text_no = $3
       AND start_char >= (SELECT start_char FROM chunks WHERE owner = $1 AND doc = $2 AND text_no = $3 AND first_position <= $4
         ORDER BY first_position DESC, start_char DESC LIMIT 1)
     ORDER BY start_char LIMIT 2`,
    [owner, text.doc, text.text_no, position],
  );
  const [chunk] = rows;
  if (!chunk) return undefined;
  const joined = rows.map((row) => decodeChunk(sql, row.body)).join("");
  const tokens = listTokens(joined);
  const at = position - (chunk.first_position ?? 0);
  if (!matchesAt(tokens, at, clause)) return undefined;
  const { start, end } = extentOf(joined, tokens, at, clause);
  const start_chars = chunk.start_char + charOfUnit(joined, start);
  return { start_chars, end_chars: start_chars + countChars(joined.slice(start, end)) };
}

/** The position of the first token of the chunk that holds character `chars`. */
export async function positionAt(sql: Sql, owner: number, text: StoredText, chars: number): Promise<number> {
  const [row] = await sql.all<{ first_position: number | null }>(
    "SELECT first_position FROM chunks WHERE owner = $1 AND doc = $2 AND text_no = $3 AND start_char <= $4 ORDER BY start_char DESC LIMIT 1",
    [owner, text.doc, text.text_no, chars],
  );
  return row?.first_position ?? 0;
}

function decodeChunk(sql: Sql, body: Uint8Array): string {
  return decoder.decode(sql.dialect.unpackChunk(body));
}
