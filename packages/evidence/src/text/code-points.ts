/**
 * Characters are Unicode code points, everywhere (R22). This is the only file that counts or cuts strings, and that knows which
 * characters people do not see, or break or reorder the line that shows a text.
 * Text is well-formed UTF-16 by the time it gets here: ingest refuses lone surrogates.
 */

const ASTRAL_LEAD = /[\ud800-\udbff]/;

/** Counts the code points of `text`. */
export function countChars(text: string): number {
  if (!ASTRAL_LEAD.test(text)) return text.length;
  let count = 0;
  for (let unit = 0; unit < text.length; unit += 1) if (!isTrail(text.charCodeAt(unit))) count += 1;
  return count;
}

/** The code points `start` (included) to `end` (excluded) of `text`. */
export function sliceChars(text: string, start: number, end = Number.POSITIVE_INFINITY): string {
  const from = unitOfChar(text, start);
  if (end === Number.POSITIVE_INFINITY) return text.slice(from);
  return text.slice(from, unitOfChar(text, end - start, from));
}

/** The UTF-16 unit where the code point `chars` after `fromUnit` begins; the text's length past the end. */
export function unitOfChar(text: string, chars: number, fromUnit = 0): number {
  if (!ASTRAL_LEAD.test(text)) return Math.min(text.length, fromUnit + Math.max(0, chars));
  let unit = fromUnit;
  for (let left = chars; left > 0 && unit < text.length; left -= 1)
    unit += isLead(text.charCodeAt(unit)) ? 2 : 1;
  return Math.min(unit, text.length);
}

/** Counts the code points before UTF-16 unit `unit` of `text`. */
export function charOfUnit(text: string, unit: number): number {
  return countChars(text.slice(0, unit));
}

/** Whether UTF-16 unit `unit` of `text` is a border between code points. */
export function isCharBorder(text: string, unit: number): boolean {
  return unit <= 0 || unit >= text.length || !isTrail(text.charCodeAt(unit));
}

/** Finds the first lone surrogate of `text`, in code points; undefined if the text is well-formed. */
export function findLoneSurrogate(text: string): number | undefined {
  if (text.isWellFormed()) return undefined;
  let chars = 0;
  for (let unit = 0; unit < text.length; unit += 1, chars += 1) {
    const code = text.charCodeAt(unit);
    if (isTrail(code)) return chars;
    if (!isLead(code)) continue;
    if (!isTrail(text.charCodeAt(unit + 1))) return chars;
    unit += 1;
  }
  return undefined;
}

/** Counts the UTF-8 bytes of `text`. */
export function countBytes(text: string): number {
  let bytes = 0;
  for (let unit = 0; unit < text.length; unit += 1) {
    const code = text.charCodeAt(unit);
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : isLead(code) || isTrail(code) ? 2 : 3;
  }
  return bytes;
}

function isLead(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isTrail(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

const BREAKS = /[\t\n\v\f\r\u0085\p{Zl}\p{Zp}]+/gu;
// Plane 14 (tags) can carry whole invisible messages. Joiners and the soft hyphen shape words and emoji in many
// languages, and can neither move nor hide text.
const HIDDEN = /[\p{Cc}\p{Cs}\u{e0000}-\u{e0fff}]|(?![\u00ad\u200c\u200d])\p{Cf}/gu;

/**
 * Folds `text` to one line without direction changes or hidden characters: line breaks and tabs become spaces, other
 * controls and invisible characters become visible escapes. Ordinary characters stay as they are.
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
 * Characters that models read and people cannot see: direction controls, zero-width characters, soft hyphens and tag
 * characters. A joiner between emoji merges them into one picture and does not count.
 */
const UNSEEN =
  /[\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d/gu;

/** Counts the hidden characters of a text. */
export function countHiddenChars(text: string): number {
  return text.match(UNSEEN)?.length ?? 0;
}
