/**
 * Characters are Unicode code points, everywhere (R22). This is the only file that counts or cuts strings.
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
