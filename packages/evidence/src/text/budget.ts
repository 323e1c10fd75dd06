/** Fits text into a budget of UTF-8 bytes: hosts truncate answers by bytes, not by characters. */
import { countBytes, isCharBorder } from "./code-points.ts";
import { findBorderBefore } from "./graphemes.ts";

/** Counts the bytes of a text in some encoding. */
export type Measure = (text: string) => number;

/** Counts the bytes of `text` inside a JSON string. */
export function countJsonBytes(text: string): number {
  return countBytes(JSON.stringify(text)) - 2;
}

/** The longest prefix of `text` that fits, cut between code points and, if possible, between graphemes. */
export function fitText(text: string, max_bytes: number, measure: Measure = countBytes): string {
  if (measure(text) <= max_bytes) return text;
  let fits = 0;
  let tooLong = text.length;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (measure(text.slice(0, middle)) <= max_bytes) fits = middle;
    else tooLong = middle;
  }
  const end = isCharBorder(text, fits) ? fits : fits - 1;
  return text.slice(0, end === 0 ? 0 : (findBorderBefore(text, end, 0) ?? end));
}

/** Shares out a total: small needs are met in full, larger ones get equal parts of the rest. */
export function shareOut(needs: readonly number[], total: number): number[] {
  const shares: number[] = needs.map(() => 0);
  const smallestFirst = needs.map((need, index) => ({ need, index })).sort((a, b) => a.need - b.need);
  let left = total;
  smallestFirst.forEach(({ need, index }, done) => {
    const share = Math.min(need, Math.max(0, Math.floor(left / (needs.length - done))));
    shares[index] = share;
    left -= share;
  });
  return shares;
}
