/**
 * Record text on a single line of an answer. It must not start a new line, reverse the direction or hide anything:
 * line breaks and tabs become spaces, other controls and invisible characters become visible escapes.
 */

const BREAKS = /[\t\n\v\f\r\u0085\p{Zl}\p{Zp}]+/gu;
// Plane 14 (tags) can carry whole invisible messages. The joiners and the soft hyphen shape words and emoji of many
// languages, and can neither move nor hide text.
const HIDDEN = /[\p{Cc}\p{Cs}\u{e0000}-\u{e0fff}]|(?![\u00ad\u200c\u200d])\p{Cf}/gu;

/** Folds `text` to one safe line; ordinary characters stay as they are. */
export function foldToLine(text: string): string {
  return text.replace(BREAKS, " ").replace(HIDDEN, escapeChar);
}

/** Formats a JSON value on one line without invisible characters; `JSON.parse` returns the value. */
export function formatJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\p{Zl}\p{Zp}\p{Cf}\u{e0000}-\u{e0fff}]/gu, escapeUnits);
}

/** Escapes a character visibly: `\u{202e}`. */
export function escapeChar(char: string): string {
  return `\\u{${char.codePointAt(0)!.toString(16)}}`;
}

function escapeUnits(char: string): string {
  return char.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
