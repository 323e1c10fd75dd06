/** Values of cells as the text that a CSV file would have. */

/** What a number format shows, unless it is a plain number. */
export type DateForm = "date" | "time" | "date-time";

/** A number as text, with the 15 digits that spreadsheets keep: `0.1`, not `0.10000000000000001`. */
export function writeNumber(value: string): string {
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number)) return value;
  return Number.isInteger(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER
    ? String(number)
    : String(Number(number.toPrecision(15)));
}

const DAY_MS = 86_400_000;
/** Day 0 of each date system, as Excel counts. */
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) };
/** The last day of the year 9999. */
const SERIAL_MAX = 2_958_466;

/** Formats the number that a spreadsheet stores for a date as RFC 3339, without a zone. */
export function writeDate(value: string, form: DateForm, system: 1900 | 1904): string {
  const serial = Number(value);
  if (!Number.isFinite(serial) || serial < 0 || serial >= SERIAL_MAX) return writeNumber(value);
  if (form === "time" && serial < 1) return toIso(0, serial).slice(11);
  // Excel counts 29 February 1900, which did not exist.
  const early = system === 1900 && serial < 60 ? 1 : 0;
  const text = toIso(EPOCHS[system] + early * DAY_MS, serial);
  return form === "date" ? text.slice(0, 10) : text;
}

function toIso(epochMs: number, serial: number): string {
  return new Date(epochMs + Math.round(serial * DAY_MS)).toISOString().replace(/(?:\.000)?Z$/, "");
}

/** What a format code shows (ECMA-376 part 1, §18.8.30), by its first section. */
export function readFormatCode(code: string): DateForm | undefined {
  const plain = code
    .replace(/"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, "")
    .split(";", 1)[0]!
    .replace(/am\/pm|a\/p/gi, "h");
  const has_time = /[hs]/i.test(plain);
  const has_date = /[yd]/i.test(plain) || (/m/i.test(plain) && !has_time);
  if (/general|[#?]/i.test(plain) || !(has_time || has_date)) return undefined;
  if (!has_time) return "date";
  return has_date ? "date-time" : "time";
}

/** What the built-in formats show, by their number (ECMA-376 part 1, §18.8.30; 27 to 58 are those of East Asia). */
export function readBuiltInFormat(id: number): DateForm | undefined {
  if (id === 22) return "date-time";
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return "date";
  return (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47) ? "time" : undefined;
}

/** The number of a column from 0: `B` of `B7` is 1. */
export function readColumn(reference: string): number {
  let column = 0;
  for (const letter of reference) {
    const digit = letter.charCodeAt(0) - 64;
    if (digit < 1 || digit > 26) break;
    column = column * 26 + digit;
  }
  return column - 1;
}
