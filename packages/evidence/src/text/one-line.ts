/**
 * Text of a record on a line of ours. Nothing in it may start a new line, turn the line around or hide: line breaks
 * and tabs become spaces, other controls and invisible characters become visible escapes.
 */

const BREAKS = /[\t\n\v\f\r\u0085\p{Zl}\p{Zp}]+/gu;
// Plane 14 can carry whole messages that nobody sees. The joiners and the soft hyphen shape words and emoji of many
// languages, and can neither move nor hide text.
const HIDDEN = /[\p{Cc}\p{Cs}\u{e0000}-\u{e0fff}]|(?![\u00ad\u200c\u200d])\p{Cf}/gu;

/** Folds `text` to one safe line; every other character stays as it is. */
export function foldToLine(text: string): string {
  return text.replace(BREAKS, " ").replace(HIDDEN, escapeChar);
}

/** Writes a JSON value on one line in which nothing is invisible; `JSON.parse` gives the value back. */
export function formatJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\p{Zl}\p{Zp}\p{Cf}\u{e0000}-\u{e0fff}]/gu, escapeUnits);
}

/** Writes a character so that it can be seen: `\u{202e}`. */
export function escapeChar(char: string): string {
  return `\\u{${char.codePointAt(0)!.toString(16)}}`;
}

function escapeUnits(char: string): string {
  return char.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
