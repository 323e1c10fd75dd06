/** A value that a detector found: the UTF-16 units `start` to `end` of the text, and the value in its normal form. */
export interface FoundValue {
  readonly start: number;
  readonly end: number;
  /** Equal for all spellings of one value, so that all get the same token. */
  readonly value: string;
}

/** Finds the values of one kind in a folded text, in order. Takes time linear in the text's length. */
export type Detector = (text: string) => FoundValue[];

/** One pattern of a detector. Quantifiers are bounded or start behind a literal, so that no text takes quadratic time. */
export interface ValuePattern {
  /** Has the flag `g`. Masks the group `value`, which needs the flag `d`, or else the whole match. */
  readonly pattern: RegExp;
  readonly isValue?: (found: string) => boolean;
}

/** Finds the matches of one pattern. */
export function findPattern(
  text: string,
  { pattern, isValue = () => true }: ValuePattern,
  normalise: (found: string) => string,
): FoundValue[] {
  const found: FoundValue[] = [];
  for (const match of text.matchAll(pattern)) {
    const [start, end] = match.indices?.groups?.value ?? [match.index, match.index + match[0].length];
    const raw = text.slice(start, end);
    if (raw.length > 0 && isValue(raw)) found.push({ start, end, value: normalise(raw) });
  }
  return found;
}

/** Keeps the digits of a text. */
export function keepDigits(text: string): string {
  return text.replace(/\D/g, "");
}

/** The Luhn check of ISO/IEC 7812-1. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    sum += at % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

/** A number of any length modulo 97. */
export function mod97(digits: string): number {
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest;
}
