/** Cuts a text into chunks at token boundaries. Only bigrams cross them: they look ahead into the next chunk. */
import { countChars, findTokenBorder, isCharBorder, unitOfChar } from "@rungs/evidence";
import { CHUNK_CHARS, LOOKAHEAD_CHARS } from "./sizes.ts";

export interface TextChunk {
  readonly start_char: number;
  readonly text: string;
  /** The chunk and the beginning of the next: the text to tokenize. */
  readonly withLookahead: string;
}

export function* chunkText(text: string): Generator<TextChunk> {
  let start_char = 0;
  for (let unit = 0; unit < text.length; ) {
    const near = text.slice(unit, unit + 2 * (CHUNK_CHARS + LOOKAHEAD_CHARS));
    const end = findTokenBorder(near, 0, unitOfChar(near, CHUNK_CHARS));
    const chunk = near.slice(0, end);
    yield { start_char, text: chunk, withLookahead: near.slice(0, lookaheadEnd(near, end)) };
    start_char += countChars(chunk);
    unit += end;
  }
}

function lookaheadEnd(text: string, end: number): number {
  const unit = Math.min(text.length, end + LOOKAHEAD_CHARS);
  return isCharBorder(text, unit) ? unit : unit - 1;
}
