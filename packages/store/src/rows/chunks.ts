/** Reads slices of long texts: only the chunks around the requested range. */
import {
  charOfUnit,
  countChars,
  findAlternative,
  findExtent,
  type IsForm,
  listTerms,
  type QueryClause,
  sliceChars,
  unitOfChar,
} from "@rungs/evidence";
import type { SqlContext, SqlRow } from "../database.ts";
import { CHUNK_CHARS, LOOKAHEAD_CHARS } from "./sizes.ts";

/** A long text of a document. */
export interface StoredText {
  readonly doc: number;
  readonly text_no: number;
  /** Its offset in the chunks: 0 unless it is a slice of a longer text. */
  readonly start_char: number;
  readonly size_chars: number;
}

/** A chunk as it is stored. */
export interface StoredChunk {
  readonly start_char: number;
  readonly body: Uint8Array;
}

interface ChunkRow extends SqlRow {
  start_char: number;
  first_position: number | null;
  body: Uint8Array;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The code points `start` to `end` of a text. The chunk that holds the first begins less than a chunk's length before it. */
export async function readChars(
  { sql, owner }: SqlContext,
  text: StoredText,
  start: number,
  end: number,
): Promise<string> {
  if (end <= start) return "";
  const rows = await sql.all<ChunkRow>(
    `SELECT start_char, body FROM chunks WHERE owner = $1 AND doc = $2 AND text_no = $3 AND start_char > $4 AND start_char < $5
     ORDER BY start_char`,
    [owner, text.doc, text.text_no, text.start_char + start - CHUNK_CHARS, text.start_char + end],
  );
  return joinRange({ sql, owner }, text, rows, text.start_char + start, text.start_char + end);
}

/** Cuts the code points `start` to `end` out of the chunks that hold them. */
export function joinRange(
  context: SqlContext,
  text: Pick<StoredText, "doc" | "text_no">,
  rows: readonly StoredChunk[],
  start: number,
  end: number,
): string {
  const joined = joinChunks(context, text, rows);
  const first = rows[0]?.start_char ?? 0;
  return sliceChars(joined, start - first, end - first);
}

/** How far apart the words of a phrase may be, in chunks. */
const PHRASE_CHUNKS = 64;

/** Finds the characters of a match whose first token has `position`; undefined when the stored text does not have it there. */
export async function resolvePosition(
  context: SqlContext,
  text: StoredText,
  position: number,
  wanted: WantedClause,
): Promise<{ start_chars: number; end_chars: number } | undefined> {
  // Two chunks are enough, except for phrases with thousands of blanks between their words.
  const found = await resolveWithin(context, text, { position, wanted, chunks: 2 });
  if (found || wanted.clause.any.every(({ terms }) => terms.length === 1)) return found;
  return resolveWithin(context, text, { position, wanted, chunks: PHRASE_CHUNKS });
}

/** A clause to find in a text, and which terms are forms of a word. */
export interface WantedClause {
  readonly clause: QueryClause;
  readonly isForm: IsForm;
}

async function resolveWithin(
  { sql, owner }: SqlContext,
  text: StoredText,
  { position, wanted, chunks }: { position: number; wanted: WantedClause; chunks: number },
): Promise<{ start_chars: number; end_chars: number } | undefined> {
  const rows = await sql.all<ChunkRow>(
    `SELECT start_char, first_position, body FROM chunks WHERE owner = $1 AND doc = $2 AND text_no = $3
       AND start_char >= (SELECT start_char FROM chunks WHERE owner = $1 AND doc = $2 AND text_no = $3 AND first_position <= $4
         ORDER BY first_position DESC, start_char DESC LIMIT 1)
     ORDER BY start_char LIMIT $5`,
    [owner, text.doc, text.text_no, position, chunks],
  );
  const [chunk] = rows;
  if (!chunk) return undefined;
  const joined = joinChunks({ sql, owner }, text, rows);
  const tokens = listTerms(joined);
  const at = position - (chunk.first_position ?? 0);
  const phrase = findAlternative(tokens, at, wanted.clause, wanted.isForm);
  if (!phrase) return undefined;
  const { start, end } = findExtent(joined, tokens, at, phrase);
  const start_chars = chunk.start_char + charOfUnit(joined, start);
  return { start_chars, end_chars: start_chars + countChars(joined.slice(start, end)) };
}

/** The chunk with character `chars` of a text: its offset in the text, and the position of its first token. */
export async function findChunk(
  { sql, owner }: SqlContext,
  text: StoredText,
  chars: number,
): Promise<{ start: number; first_position: number }> {
  const [row] = await sql.all<ChunkRow>(
    "SELECT start_char, first_position FROM chunks WHERE owner = $1 AND doc = $2 AND text_no = $3 AND start_char <= $4 ORDER BY start_char DESC LIMIT 1",
    [owner, text.doc, text.text_no, text.start_char + chars],
  );
  return {
    start: Math.max(0, (row?.start_char ?? 0) - text.start_char),
    first_position: row?.first_position ?? 0,
  };
}

/** The position of the first token at or after character `chars` of an indexed text. */
export async function findPosition(context: SqlContext, text: StoredText, chars: number): Promise<number> {
  const { start, first_position } = await findChunk(context, text, chars);
  const before = await readChars(context, text, start, chars + LOOKAHEAD_CHARS);
  const end = unitOfChar(before, chars - start);
  return first_position + listTerms(before).filter((token) => token.start < end).length;
}

function joinChunks(
  { sql, owner }: SqlContext,
  { doc, text_no }: Pick<StoredText, "doc" | "text_no">,
  rows: readonly StoredChunk[],
): string {
  const { dialect } = sql;
  const texts = rows.map(({ start_char, body }) =>
    decoder.decode(dialect.unpackChunk(dialect.openBody("chunks", [owner, doc, text_no, start_char], body))),
  );
  return texts.join("");
}
