import { escapeChar, foldToLine } from "../text/one-line.ts";
import type { CharRange } from "../window/window-request.ts";
import type { Evidence } from "./evidence.ts";
import { MATCH_MARKS, markPreview } from "./mark.ts";
import { cutPreview } from "./preview.ts";

/** Evidence on one line, and the range of the field that it shows. */
export interface Snippet extends CharRange {
  readonly line: string;
}

const OUR_MARKS = new RegExp(`[${MATCH_MARKS.join("")}]`, "gu");

/** Creates a snippet of evidence: its preview on one line with the matches marked, and `…` where the field continues. */
export function createSnippet(evidence: Evidence, preview_chars = Number.MAX_SAFE_INTEGER): Snippet {
  const { preview: text, preview_start_chars: text_start_chars, size_chars, matches } = evidence;
  const cut = cutPreview({ text, text_start_chars, size_chars, matches, preview_chars });
  const { preview_start_chars: start_chars, preview_end_chars: end_chars } = cut;
  const marked = markPreview(cut.preview, start_chars, cut.matches, showText);
  const line = `${start_chars > 0 ? "…" : ""}${marked}${end_chars < size_chars ? "…" : ""}`;
  return { line, start_chars, end_chars };
}

// Marks in the record's own text would claim matches that were not proven.
function showText(text: string): string {
  return foldToLine(text).replace(OUR_MARKS, escapeChar);
}
