import { countChars } from "@rungs/evidence";

/** A passage has at most this many UTF-16 units, and no more tokens. */
export const PASSAGE_UNITS = 1_000;
const SENTENCE_END = /[.!?\n。！？]/u;

/** A piece of a text, in code points. */
export interface Passage {
  readonly start_chars: number;
  readonly end_chars: number;
  readonly text: string;
}

/** Pieces of at most 1,000 UTF-16 units that join to the text, cut after the last sentence that ends in a piece's second half. */
export function cutPassages(text: string): Passage[] {
  const passages: Passage[] = [];
  let start_chars = 0;
  for (let start = 0; start < text.length; ) {
    const { end } = findPassageEnd(text, start);
    const piece = text.slice(start, end);
    const end_chars = start_chars + countChars(piece);
    passages.push({ start_chars, end_chars, text: piece });
    start = end;
    start_chars = end_chars;
  }
  return passages;
}

/** Where the passage that begins at `start` ends; its cut is clean if no token crosses it. */
export function findPassageEnd(
  text: string,
  start: number,
): { readonly end: number; readonly isClean: boolean } {
  const end = start + PASSAGE_UNITS;
  if (end >= text.length) return { end: text.length, isClean: true };
  for (let at = end - 1; at >= start + PASSAGE_UNITS / 2; at -= 1)
    if (SENTENCE_END.test(text.charAt(at))) return { end: at + 1, isClean: true };
  const trail = text.charCodeAt(end);
  return { end: trail >= 0xdc00 && trail <= 0xdfff ? end - 1 : end, isClean: false };
}
