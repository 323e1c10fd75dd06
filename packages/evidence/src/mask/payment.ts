/** Payment cards (ISO/IEC 7812) and bank accounts (ISO 13616). */
import { type Detector, type FoundValue, findPattern, keepDigits, mod97, passesLuhn } from "./found-value.ts";

/** What may be between the groups of a number. */
const GAP = "[ \\t./·_-]{0,3}(?:\\r?\\n[ \\t>]{0,3})?";
/** In any grouping; in the grouping printed on cards, even next to other digits; and ungrouped. */
const cardPatterns = [
  /(?<![\d.,])(?<!\d[ -])\d(?:[ -]{0,2}\d){11,18}(?![ -]?\d)(?![.,]\d)/g,
  new RegExp(
    `(?<!\\d)(?<!\\d\\.)(?=(?<value>\\d{4}${GAP}(?:\\d{4}${GAP}\\d{4}${GAP}\\d{4}|\\d{6}${GAP}\\d{4,5})(?!\\d)))`,
    "dg",
  ),
  /(?<!\d)(?<!\d\.)\d{12,19}(?!\d)(?!\.\d)/g,
];
/** The issuers' prefixes with the lengths of their numbers. One number in ten passes Luhn; few of those have such a prefix. */
const ISSUERS: readonly RegExp[] = [
  /^4(?:\d{12}|\d{15}|\d{18})$/,
  /^5[1-5]\d{14}$/,
  /^2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}$/,
  /^3[47]\d{13}$/,
  /^3(?:0[0-5]|[68]\d)\d{11}$/,
  /^35\d{14}$/,
  /^6(?:011|5\d\d|4[4-9]\d)\d{12,15}$/,
  /^62\d{14,17}$/,
  /^(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}$/,
];

export const findCards: Detector = (text) =>
  cardPatterns.flatMap((pattern) =>
    findPattern(text, { pattern, isValue: (found) => isCard(keepDigits(found)) }, keepDigits),
  );

function isCard(digits: string): boolean {
  return ISSUERS.some((issuer) => issuer.test(digits)) && passesLuhn(digits);
}

/** How long the IBANs of each country are (SWIFT's registry). */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 " +
    "FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 " +
    "LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 " +
    "RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
const IBAN_START = /(?:(?<![A-Z0-9])|(?<=IBAN))[A-Z]{2} ?\d{2}(?=[\s.>_/-]{0,3}[A-Z0-9])/gi;
const IBAN_GAP = /[\s.>_/-]/;
/** The longest IBAN with two separators before each character. */
const IBAN_MAX_UNITS = 102;

/** IBANs, in groups or not. The country determines where one ends, whatever follows. */
export const findIbans: Detector = (text) => {
  const found: FoundValue[] = [];
  for (const { index: start, 0: head } of text.matchAll(IBAN_START)) {
    const length = IBAN_LENGTHS[head.slice(0, 2).toUpperCase()];
    const end =
      length === undefined ? undefined : findIbanEnd(text.slice(start, start + IBAN_MAX_UNITS), length);
    if (end === undefined) continue;
    const value = text
      .slice(start, start + end)
      .replace(/[\s.>_/-]/g, "")
      .toUpperCase();
    if (isIban(value)) found.push({ start, end: start + end, value });
  }
  return found;
};

function findIbanEnd(text: string, length: number): number | undefined {
  let left = length;
  for (let unit = 0; unit < text.length; unit += 1) {
    const char = text[unit] as string;
    if (/[A-Z0-9]/i.test(char)) left -= 1;
    else if (!IBAN_GAP.test(char)) return undefined;
    if (left === 0) return /^[A-Z0-9]/i.test(text.slice(unit + 1)) ? undefined : unit + 1;
  }
  return undefined;
}

function isIban(value: string): boolean {
  const moved = value.slice(4) + value.slice(0, 4);
  return mod97(moved.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))) === 1;
}
