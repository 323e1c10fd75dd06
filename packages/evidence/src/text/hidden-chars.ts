/** Characters that people do not see, or that break or reorder the line that shows a text. */

const BREAKS = /[\t\n\v\f\r\u0085\p{Zl}\p{Zp}]+/gu;
// Plane 14 (tags) can carry whole invisible messages. The joiners and the soft hyphen shape words and emoji of many
// languages, and can neither move nor hide text.
const HIDDEN = /[\p{Cc}\p{Cs}\u{e0000}-\u{e0fff}]|(?![\u00ad\u200c\u200d])\p{Cf}/gu;

/**
 * Folds `text` to one line that starts no new line, reverses no direction and hides nothing: line breaks and tabs become spaces,
 * other controls and invisible characters become visible escapes. Ordinary characters stay as they are.
 */
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

/**
 * Characters that people do not see and models read: controls of text direction, zero-width characters, soft hyphens and tag
 * characters. A joiner between emoji makes one picture of them and does not count.
 */
const UNSEEN =
  /[\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d/gu;

/** Counts the hidden characters of a text. */
export function countHiddenChars(text: string): number {
  return text.match(UNSEEN)?.length ?? 0;
}
