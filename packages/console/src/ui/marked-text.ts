import { type Match, splitPreview } from "@rungs/evidence";
import { type Html, html } from "./html.ts";

/** The name of the first match on a page, for links that lead to it. */
export const MATCH = "match";

/** A piece of a field's text with its proven matches marked, by the offsets that the answer gives; the first may be named. */
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
