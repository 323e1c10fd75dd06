/** National identity, tax and social insurance numbers, by their form and, where there are any, their check digits. */
import {
  type Detector,
  type FoundValue,
  findPattern,
  keepDigits,
  mod97,
  passesLuhn,
  type ValuePattern,
} from "./found-value.ts";

const patterns: readonly ValuePattern[] = [
  // United States: SSN and ITIN.
  { pattern: /(?<![\d-])(?!000|666)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])/g },
  // United Kingdom: national insurance number.
  {
    pattern:
      /(?<![A-Z\d])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Z\d])/gi,
  },
  // Germany: tax id. One digit of the first ten occurs two or three times, the others at most once.
  {
    pattern: /(?<![\d.,-])[1-9]\d(?: ?\d{3}){3}(?![\d-]|[.,]\d)/g,
    isValue: (found) => isGermanTaxId(keepDigits(found)),
  },
  // Germany: social insurance number, with the date of birth and the initial of the name.
  { pattern: /(?<![A-Z\d])\d{2} ?(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2} ?[A-Z] ?\d{3}(?![A-Z\d])/g },
  // France: NIR with its key; a time such as 20170228154907 is not one.
  {
    pattern:
      /(?<!\d)(?!20[0-3]\d[01]\d[0-3])[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?!\d)/g,
    isValue: isFrenchNir,
  },
  // Spain: DNI and NIE.
  { pattern: /(?<![A-Z\d])(?:[XYZ]-?\d{7}|\d{2}\.?\d{3}\.?\d{3})-?[A-Z](?![A-Z\d])/gi, isValue: isSpanishId },
  // Italy: codice fiscale.
  { pattern: /(?<![A-Z\d])[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z](?![A-Z\d])/gi },
  // Switzerland: AHV number, an EAN-13.
  {
    pattern: /(?<![\d.])756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}(?![\d.])/g,
    isValue: (found) => isEan(keepDigits(found)),
  },
  // Sweden: personnummer. Denmark: CPR. Both start with a date.
  {
    pattern: /(?<![\d-])(?:19|20)?\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[-+]\d{4}(?![\d-])/g,
    isValue: (found) => passesLuhn(keepDigits(found).slice(-10)),
  },
  { pattern: /(?<![\d-])(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}-\d{4}(?![\d-])/g },
  // Poland: PESEL, which starts with a date whose month tells the century.
  {
    pattern: /(?<![\d.,-])\d{2}(?:[02468][1-9]|[13579][0-2])(?:0[1-9]|[12]\d|3[01])\d{5}(?![\d-]|[.,]\d)/g,
    isValue: isPesel,
  },
  // South Africa: identity number, with the date of birth.
  {
    pattern: /(?<![\d.,-])\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{4}[01][89]\d(?![\d-]|[.,]\d)/g,
    isValue: passesLuhn,
  },
  // Finland: personal identity code.
  {
    pattern:
      /(?<![A-Z\d])(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}[-+A-FU-Y]\d{3}[\dA-FHJ-NPR-Y](?![A-Z\d])/gi,
    isValue: isFinnishId,
  },
  // Norway: birth number.
  {
    pattern: /(?<![\d.,-])(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2} ?\d{5}(?![\d-]|[.,]\d)/g,
    isValue: (found) => isNorwegianId(keepDigits(found)),
  },
  // South Korea: resident registration number.
  { pattern: /(?<![\d-])\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-[1-8]\d{6}(?![\d-])/g },
  // India: PAN. Mexico: CURP.
  { pattern: /(?<![A-Z\d])[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z](?![A-Z\d])/g },
  {
    pattern:
      /(?<![A-Z\d])[A-Z]{4}\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[HMX][A-Z]{5}[A-Z\d]\d(?![A-Z\d])/g,
  },
  // Brazil: CPF.
  { pattern: /(?<![\d.])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\d-])/g, isValue: (found) => isCpf(keepDigits(found)) },
  // China: resident identity card.
  {
    pattern:
      /(?<![A-Z\d])[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX](?![A-Z\d])/gi,
    isValue: isChineseId,
  },
];

const WORD =
  "(?:ssn|social security|bsn|tfn|nino|national insurance|aadhaar|cpf|curp|pesel|personnummer|passport|reisepass|passeport|pasaporte|personalausweis|ausweis|tax[ _-]?id|steuer-?id|steuerid|identity card|id card|dni|nif|(?:sin|nie|tin)(?=[:=#])|ahv|avs|sozialversicherungs?)";
/** Of a number in groups. A word has no digit. */
const PART = "(?=[A-Z]{0,9}\\d)[A-Z0-9]{1,18}";
/** `SSN: 123456789`, `passport no. C01X00T47`, `BSN 111222333` */
const ANNOUNCED: ValuePattern = {
  pattern: new RegExp(
    `(?<![\\p{L}\\p{N}])${WORD}(?:[ _-]?(?:no|nr|num|number|nummer|numero|n°))?(?: is| ist)?["']?[.:=#]{0,2}[ \\t]{0,3}["']?(?<value>(?:[A-Z]{1,3} )?${PART}(?:[ .-]${PART}){0,5}(?:[ .-][A-Z])?)(?![\\p{L}\\p{N}])`,
    "dgiu",
  ),
  isValue: hasEnoughDigits,
};

export const findNationalIds: Detector = (text) =>
  [...patterns, ANNOUNCED].flatMap((pattern) => findPattern(text, pattern, normaliseId));

const LABEL = new RegExp(`(?<!\\p{L})${WORD}(?: (?:no|nr|num|number|nummer))?$`, "iu");

/** The value of a member such as `passport_number`. */
export function findLabelledIds(label: string, text: string): FoundValue[] {
  const isId = LABEL.test(label) && hasEnoughDigits(text);
  return isId ? [{ start: 0, end: text.length, value: normaliseId(text) }] : [];
}

function hasEnoughDigits(found: string): boolean {
  return keepDigits(found).length >= 5;
}

function normaliseId(found: string): string {
  return found.replace(/[^A-Z\d]/gi, "").toUpperCase();
}

/** The check digit of ISO 7064 MOD 11,10. */
function isGermanTaxId(digits: string): boolean {
  const counts = new Map<string, number>();
  for (const digit of digits.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const repeated = [...counts.values()].filter((count) => count > 1);
  if (repeated.length !== 1 || (repeated[0] as number) > 3) return false;
  let product = 10;
  for (const digit of digits.slice(0, 10)) product = (((Number(digit) + product) % 10 || 10) * 2) % 11;
  return (11 - product) % 10 === Number(digits[10]);
}

function isFrenchNir(found: string): boolean {
  const digits = keepDigits(found.replace("2A", "19").replace("2B", "18"));
  return 97 - mod97(digits.slice(0, 13)) === Number(digits.slice(13));
}

function isSpanishId(found: string): boolean {
  const id = found.toUpperCase().replace(/[.-]/g, "");
  const number = Number(id.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter))));
  return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] === id.at(-1);
}

function isFinnishId(found: string): boolean {
  const number = Number(found.slice(0, 6) + found.slice(7, 10));
  return "0123456789ABCDEFHJKLMNPRSTUVWXY"[number % 31] === found.at(-1)?.toUpperCase();
}

function isNorwegianId(digits: string): boolean {
  return (
    sumWeighted(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
    sumWeighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  );
}

function isEan(digits: string): boolean {
  return sumWeighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0;
}

function isPesel(digits: string): boolean {
  return sumWeighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
}

function isCpf(digits: string): boolean {
  if (new Set(digits).size === 1) return false;
  const check = (length: number) => {
    const weights = Array.from({ length }, (_, at) => length + 1 - at);
    return String(((sumWeighted(digits, weights) * 10) % 11) % 10);
  };
  return digits[9] === check(9) && digits[10] === check(10);
}

function isChineseId(found: string): boolean {
  const sum = sumWeighted(found, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
  return "10X98765432"[sum % 11] === found.at(-1)?.toUpperCase();
}

function sumWeighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0);
}
