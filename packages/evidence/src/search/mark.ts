import { countChars, sliceChars } from "../text/code-points.ts";
import type { Match } from "../text/match.ts";

/** The marks before and after a match in a marked preview. */
export const MATCH_MARKS = ["⟦", "⟧"] as const;

/** A piece of a preview: one match, or text without a match. */
export interface PreviewPiece {
  readonly text: string;
  readonly is_match: boolean;
}

/**
 * Marks every match of a preview with `⟦` and `⟧`; overlapping and adjacent matches share one pair. `show` formats the
 * text between marks.
 */
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

/** Splits a preview at the borders of its matches, for interfaces with other marks; joined, the pieces are the preview. */
export function splitPreview(
  preview: string,
  preview_start_chars: number,
  matches: readonly Match[],
): PreviewPiece[] {
  const pieces: PreviewPiece[] = [];
  let done = 0;
  for (const [start, end] of listRanges(matches, preview_start_chars, preview)) {
    pieces.push({ text: sliceChars(preview, done, start), is_match: false });
    pieces.push({ text: sliceChars(preview, start, end), is_match: true });
    done = end;
  }
  return [...pieces, { text: sliceChars(preview, done), is_match: false }];
}

function listRanges(matches: readonly Match[], base: number, preview: string): [number, number][] {
  const ranges: [number, number][] = [];
  const length = countChars(preview);
  for (const { start_chars, end_chars } of [...matches].sort((a, b) => a.start_chars - b.start_chars)) {
    const start = Math.max(0, start_chars - base);
    const end = Math.min(length, end_chars - base);
    const last = ranges.at(-1);
    if (start >= end) continue;
    if (last && isBlank(sliceChars(preview, last[1], start))) last[1] = Math.max(last[1], end);
    else ranges.push([start, end]);
  }
  return ranges;
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}
