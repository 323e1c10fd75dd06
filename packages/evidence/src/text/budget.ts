/** Fitting text into a budget of UTF-8 bytes, which is what hosts count (hosts cut answers by bytes, not characters). */
import { countBytes, isCharBorder } from "./code-points.ts";
import { findBorderBefore } from "./graphemes.ts";

/** How many bytes a text takes in some form. */
export type Measure = (text: string) => number;

/** How many bytes `text` takes inside a JSON string. */
export function countJsonBytes(text: string): number {
  return countBytes(JSON.stringify(text)) - 2;
}

/** The longest head of `text` that fits, cut between code points and, where it can be, between graphemes. */
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

/** Shares a total so that small needs are met whole and the large ones get equal parts of what is left. */
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
