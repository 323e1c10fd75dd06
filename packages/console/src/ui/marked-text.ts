import { type Match, splitPreview } from "@rungs/evidence";
import { type Html, html } from "./html.ts";

/** The element id of the first match, as a link target. */
export const MATCH = "match";

/** Highlights the proven matches in a range of a field's text; the first can get an element id. */
export function markText(
  text: string,
  start_chars: number,
  matches: readonly Match[],
  name?: typeof MATCH,
): Html[] {
  const pieces = splitPreview(text, start_chars, matches);
  const first = pieces.find(({ is_match }) => is_match);
  return pieces.map((piece) => {
    if (!piece.is_match) return html`${piece.text}`;
    return html`<mark${name !== undefined && piece === first ? html` id="${name}"` : ""}>${piece.text}</mark>`;
  });
}
