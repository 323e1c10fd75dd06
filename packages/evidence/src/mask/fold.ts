/** Prepares a text for the detectors: what people do not see cannot hide a value from them. */

const NOT_ASCII = /[^\0-\x7f]/;
const SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const DASH = /[\u00ad\u2010-\u2015\u2212\ufe58\ufe63]/g;
const WIDE = /[\uff01-\uff5e]/g;
const DIGIT = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g;
/** The first of each row of ten digits: Arabic-Indic, its Persian variant, Devanagari. */
const DIGIT_ROWS = [0x660, 0x6f0, 0x966];

/** Replaces spaces, dashes, full-width forms and foreign digits with their ASCII forms, unit by unit, so that offsets stay the same. */
export function foldForDetection(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text
    .replace(SPACE, " ")
    .replace(DASH, "-")
    .replace(WIDE, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(DIGIT, toAsciiDigit);
}

function toAsciiDigit(digit: string): string {
  const code = digit.charCodeAt(0);
  const first = DIGIT_ROWS.findLast((row) => row <= code) ?? 0;
  return String(code - first);
}

const HIDDEN = /[\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/;

/** A text without invisible characters, and where its units are in the original. */
export interface StrippedText {
  readonly text: string;
  /** Maps a unit of the stripped text to its unit in the original. */
  readonly findUnit: (unit: number) => number;
}

/** Removes zero-width characters: direction controls, joiners, byte order marks. */
export function stripHidden(text: string): StrippedText {
  if (!HIDDEN.test(text)) return { text, findUnit: (unit) => unit };
  const units: number[] = [];
  const kept: string[] = [];
  for (let unit = 0; unit < text.length; unit += 1) {
    if (HIDDEN.test(text.charAt(unit))) continue;
    units.push(unit);
    kept.push(text.charAt(unit));
  }
  return { text: kept.join(""), findUnit: (unit) => units[unit] ?? text.length };
}
