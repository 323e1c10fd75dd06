import { countChars, escapeChar, foldToLine } from "../text/code-points.ts";
import type { Match } from "../text/match.ts";
import type { CharRange } from "../window/window-request.ts";
import { cutPreview, type Evidence } from "./evidence.ts";
import { MATCH_MARKS, markPreview } from "./mark.ts";

/** Evidence on one line, and the range of the field that it shows. */
export interface Snippet extends CharRange {
  readonly line: string;
}

const OUR_MARKS = new RegExp(`[${MATCH_MARKS.join("")}]`, "gu");

/** Creates a snippet of evidence: its preview on one line with the matches marked, and `…` where the field continues. */
export function createSnippet(evidence: Evidence, preview_chars = Number.MAX_SAFE_INTEGER): Snippet {
  const { preview, preview_start_chars, preview_end_chars, size_chars, matches } = shrinkEvidence(
    evidence,
    preview_chars,
  );
  const marked = markPreview(preview, preview_start_chars, matches, showText);
  const line = `${preview_start_chars > 0 ? "…" : ""}${marked}${preview_end_chars < size_chars ? "…" : ""}`;
  return { line, start_chars: preview_start_chars, end_chars: preview_end_chars };
}

/** Shortens the preview of evidence to at most `preview_chars`, around the match with the most others near it. */
export function shrinkEvidence(evidence: Evidence, preview_chars: number): Evidence {
  const { preview: text, preview_start_chars: text_start_chars, size_chars, matches } = evidence;
  if (countChars(text) <= preview_chars) return evidence;
  const best = findDensest(matches, preview_chars);
  const ordered = best ? [best, ...matches.filter((match) => match !== best)] : matches;
  const { matches: _, ...cut } = cutPreview({
    text,
    text_start_chars,
    size_chars,
    matches: ordered,
    preview_chars,
  });
  return { ...evidence, ...cut };
}

function findDensest(matches: readonly Match[], span_chars: number): Match | undefined {
  const near = ({ start_chars }: Match) =>
    matches.filter(
      (other) => other.start_chars >= start_chars && other.end_chars <= start_chars + span_chars,
    );
  return matches.reduce<Match | undefined>(
    (best, match) => (best && near(best).length >= near(match).length ? best : match),
    undefined,
  );
}

// Marks in the record's own text would claim matches that were not proven.
function showText(text: string): string {
  return foldToLine(text).replace(OUR_MARKS, escapeChar);
}
