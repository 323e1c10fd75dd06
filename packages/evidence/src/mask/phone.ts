/**
 * Phone numbers. No default country is assumed, so patterns decide, not numbering plans: a number with a country code, one with a
 * trunk prefix or in the North American form, and any digits behind a word such as "Tel.".
 */
import { type Detector, type FoundValue, findPattern, keepDigits, type ValuePattern } from "./found-value.ts";

/** What may be between two digits: up to three of these. */
const GAP = "[ \\t.()/·•\\-]{0,3}";
/** The separators in North American numbers. */
const APART = "(?: ?[.·-] ?| )";
/** A line break inside a number: mail wraps at spaces and after hyphens. */
const BREAK = "[ \\t-]?\\r?\\n[ \\t>]{0,3}";
const NOT_INSIDE = "(?<![\\p{L}\\p{N}_+./#@-])(?<!\\d[:.-])";
const NOT_BEFORE = "(?![\\p{L}\\p{N}_]|[.:/-]\\d)";
/** `x12`, `ext. 12`, `Durchwahl 12` */
const EXTENSION =
  "(?:[ ,;]{0,2}(?:x|ext\\.?|extension|durchwahl|dw|poste|anexo|interno)[ .:=]{0,2}\\d{1,6})?";
const DATE =
  /(?<!\d)(?:\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d{2}|(?:19|20)\d{2}[./-]\d{1,2}[./-]\d{1,2})(?!\d)/;
/** The French form, which looks like a date with more parts. */
const PAIRS = /^0[1-9](?:[. -]\d{2}){4}$/;
/** Numbers of two digits in a row, as in tables and dumps. */
const ROW = /^\d\d(?: \d\d?){4,}$/;
const YEARS = /^(?:19|20)\d{2}-(?:19|20)?\d{2}$/;
const WORD =
  "(?:tel|t[eé]l[eé]phone|telefon|telefoon|telefono|tel[eé]fono|phone|ph|mobile?|mobiel|m[oó]vil|cell|cellular|cellulare|fax|handy|hotline|whatsapp|sms|portable|tlf|gsm|τηλ|тел|телефон|моб|电话|電話|手机|手機|携帯|전화)";
/** Words that other, shorter numbers also follow. */
const VERB =
  "(?:dial|call(?: (?:me|us) (?:at|on))?|text|ring|reach (?:me|us) (?:at|on)|ruf mich an|my (?:phone |cell |mobile )?number is|[TMF]:)";
/** Ungrouped numbers after these words belong to orders, books and the like. */
const NUMBERED =
  "(?<!(?:isbn|issn|ean|(?:order|invoice|customer|ticket|case|account|tracking|booking|reference|serial|part|item)[ -]?(?:no|nr|number|id|#)|(?:bestell|kunden|auftrags?|rechnungs?|sendungs?|artikel|vertrags?|vorgangs?|serien|konto)-?(?:nr|nummer))[ .:#]{1,3})";
/** `MA 02110-1301` is a postal code. */
const NOT_ZIP = "(?!(?<=[A-Z]{2},?\\s{1,3})0\\d{4}-\\d{4}(?!\\d))";

const patterns: readonly ValuePattern[] = [
  // +49 (0)171 234567, 0049 171 234567, T+49 171 234567, %2B49171234567
  {
    pattern: new RegExp(
      `(?:(?<![\\p{L}\\p{N}_]{2})(?<![\\d_+])\\+|%2B|(?<![\\p{L}\\p{N}_+.,-])${NUMBERED}(?:00(?=[1-9])|011(?=[ -]?[2-9])))${GAP}\\d(?:${GAP}\\d){6,15}(?!\\d)${EXTENSION}`,
      "giu",
    ),
    isValue: (found) => !DATE.test(found),
  },
  // The same with a line break: fewer than ten digits before it are no whole number.
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}_+])(?:\\+|00(?=[1-9]))${GAP}\\d(?:${GAP}\\d){0,8}${BREAK}\\d(?:${GAP}\\d){1,11}(?!\\d)`,
      "gu",
    ),
    isValue: (found) => !DATE.test(found) && isBetween(countDigits(found), 8, 17),
  },
  // 089 / 123 456, 01 23 45 67 89, 020 7946 0958, 0171-2345678
  {
    pattern: new RegExp(
      `${NOT_INSIDE}(?=\\(?0[1-9])${NUMBERED}${NOT_ZIP}\\(?0[1-9](?:${GAP}\\d){7,11}${EXTENSION}${NOT_BEFORE}`,
      "giu",
    ),
    isValue: (found) =>
      PAIRS.test(found) || (!DATE.test(found) && !/\.\d+\./.test(found) && !ROW.test(found)),
  },
  // Adjacent French numbers, of which the pattern above finds only the first digits.
  {
    pattern: new RegExp(`${NOT_INSIDE}0[1-9](?<gap>[. -])\\d{2}(?:\\k<gap>\\d{2}){3}(?!\\d)`, "giu"),
  },
  // 01/58858-0
  {
    pattern: new RegExp(`${NOT_INSIDE}\\(?0[1-9]\\d{0,4}\\)? ?/ ?\\d{5,8}(?:-\\d{1,4})?${NOT_BEFORE}`, "gu"),
  },
  // 8 (495) 123-45-67, 0 532 123 45 67, 0(532)1234567
  {
    pattern: new RegExp(
      `${NOT_INSIDE}(?:8[ -]?(?:\\([3-9]\\d{2}\\)|[3-9]\\d{2}[ -])|0 ?(?:\\([1-9]\\d{2}\\)|(?<= )[1-9]\\d{2} ))[ -]?\\d{3}(?:[ -]?\\d{2}){2}${NOT_BEFORE}`,
      "gu",
    ),
  },
  // (11) 91234-5678, 98765 43210, 138 0013 8000, 13800138000
  {
    pattern: new RegExp(
      `${NOT_INSIDE}(?:\\([1-9]\\d\\) ?9?\\d{4}[ -]\\d{4}|[6-9]\\d{4}[ -]\\d{5}|${NUMBERED}1[3-9]\\d(?<apart>[ -]?)\\d{4}\\k<apart>\\d{4})${NOT_BEFORE}`,
      "giu",
    ),
  },
  {
    pattern: new RegExp(
      `${NOT_INSIDE}\\(?0[1-9](?:${GAP}\\d){1,5}\\)?${BREAK}\\d(?:${GAP}\\d){2,9}${NOT_BEFORE}`,
      "gu",
    ),
    isValue: (found) => !DATE.test(found) && isBetween(countDigits(found), 9, 12),
  },
  // (555) 123-4567, 1-555-123-4567, 555.123.4567, 555 - 123 - 4567
  {
    pattern: new RegExp(
      `${NOT_INSIDE}(?:1(?:[ .-]|(?=\\()))?(?:\\([2-9]\\d{2}\\)(?:${BREAK}|${APART}|)|[2-9]\\d{2}(?:${BREAK}|${APART}))\\d{3}(?:${BREAK}|${APART})\\d{4}${EXTENSION}${NOT_BEFORE}`,
      "giu",
    ),
  },
  // Tel. 4711-23, tel:5551234, "phone_number": "5551234". Postal codes, which may stand on the line below, have five digits.
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}])${WORD}(?:[ ._-]?(?:no|nr|num|number|nummer|numero|n°))?(?: ?\\([^()\\r\\n]{1,20}\\)|;[^:\\r\\n]{1,80}(?=:))?(?:["']?(?:[.:=#]{1,2}| is)[ \\t]{0,3}["']?|(?:[ \\t]{0,3}|[.:]{1,2}[ \\t]{0,3}\\r?\\n[ \\t>]{0,3})(?=\\(?\\d(?:${GAP}\\d){5}))(?<value>\\(?\\d(?:${GAP}\\d){4,14})(?![\\p{L}\\p{N}_])(?![.,:]\\d)`,
      "dgiu",
    ),
    isValue: (found) => !DATE.test(found) && !YEARS.test(found),
  },
  // call 555-1234
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}_])${VERB}[.:]{0,1}[ \\t]{1,3}(?<value>\\(?\\d(?:${GAP}\\d){6,14})(?![\\p{L}\\p{N}_])(?![.,:]\\d)`,
      "dgiu",
    ),
    isValue: (found) => !DATE.test(found) && !YEARS.test(found),
  },
  // The names of WhatsApp accounts, and links to them.
  { pattern: /(?<![\d])\d{7,15}(?=@(?:s\.whatsapp\.net|c\.us))/g },
  { pattern: /(?<=\bwa\.me\/\+?)\d{7,15}/g },
];

export const findPhones: Detector = (text) =>
  patterns.flatMap((pattern) => findPattern(text, pattern, normalisePhone));

const LABEL = new RegExp(`(?<!\\p{L})${WORD}s?(?!\\p{L})`, "iu");
const ANY_NUMBER: ValuePattern = {
  pattern: new RegExp(`(?<!\\d)\\(?\\d(?:${GAP}\\d){3,14}(?!\\d)`, "g"),
};

/** The numbers in the value of a member such as `phones`, whatever their form. */
export function findLabelledPhones(label: string, text: string): FoundValue[] {
  return LABEL.test(label) ? findPattern(text, ANY_NUMBER, normalisePhone) : [];
}

function countDigits(found: string): number {
  return keepDigits(found).length;
}

function isBetween(count: number, least: number, most: number): boolean {
  return count >= least && count <= most;
}

/** Digits, with the country code if present: `+49 (0)171`, `0049171` and `49171@c.us` are the same. */
function normalisePhone(found: string): string {
  const digits = keepDigits(found.replace(/^((?:\+|00)[ \d-]{1,5})\(0\)/, "$1"));
  return digits.replace(/^00/, "");
}
