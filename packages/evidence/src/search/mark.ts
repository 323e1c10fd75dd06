import { countChars, sliceChars } from "../text/code-points.ts";
import type { Match } from "../text/match.ts";

/** What stands before and after a match in a marked preview. */
export const MATCH_MARKS = ["⟦", "⟧"] as const;

/** A stretch of a preview that is a match as a whole, or none. */
export interface PreviewPiece {
  readonly text: string;
  readonly is_match: boolean;
}

/** A preview with every match between `⟦` and `⟧`; matches that overlap are marked as one. `show` writes the text between. */
export function markPreview(
  preview: string,
  preview_start_chars: number,
  matches: readonly Match[],
  show: (text: string) => string = (text) => text,
): string {
  const [open, close] = MATCH_MARKS;
  return splitPreview(preview, preview_start_chars, matches)
    .map(({ text, is_match }) => (is_match ? open + show(text) + close : show(text)))
    .join("");
}

/** A preview cut at the borders of its matches, for faces that mark them in their own way; joined, it is the preview. */
export function splitPreview(
  preview: string,
  preview_start_chars: number,
  matches: readonly Match[],
): PreviewPiece[] {
  const pieces: PreviewPiece[] = [];
  let done = 0;
  for (const [start, end] of listRanges(matches, preview_start_chars, countChars(preview))) {
    pieces.push({ text: sliceChars(preview, done, start), is_match: false });
    pieces.push({ text: sliceChars(preview, start, end), is_match: true });
    done = end;
  }
  return [...pieces, { text: sliceChars(preview, done), is_match: false }];
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
