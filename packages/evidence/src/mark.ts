import { countChars, sliceChars } from "./code-points.ts";
import type { Match } from "./match.ts";

/** What stands before and after a match in a marked preview. */
export const MATCH_MARKS = ["⟦", "⟧"] as const;

/** A preview with every match between `⟦` and `⟧`; matches that overlap are marked as one. `show` writes the text between. */
export function markPreview(
  preview: string,
  preview_start_chars: number,
  matches: readonly Match[],
  show: (text: string) => string = (text) => text,
): string {
  const [open, close] = MATCH_MARKS;
  let marked = "";
  let done = 0;
  for (const [start, end] of listRanges(matches, preview_start_chars, countChars(preview))) {
    marked += show(sliceChars(preview, done, start)) + open + show(sliceChars(preview, start, end)) + close;
    done = end;
  }
  return marked + show(sliceChars(preview, done));
}

function listRanges(matches: readonly Match[], base: number, length: number): [number, number][] {
  const ranges: [number, number][] = [];
  for (const { start_chars, end_chars } of [...matches].sort((a, b) => a.start_chars - b.start_chars)) {
    const start = Math.max(0, start_chars - base);
    const end = Math.min(length, end_chars - base);
    const last = ranges.at(-1);
    if (start >= end) continue;
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else ranges.push([start, end]);
  }
  return ranges;
}
