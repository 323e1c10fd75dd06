/**
 * The `From ` line that begins a message of an mbox file (RFC 4155, appendix A). Writers differ in its form, and
 * many leave such lines in bodies unescaped, so its form, its position and the next line decide together.
 */

/** How many bytes from the start of a line the detection needs. */
export const SEPARATOR_LOOK_BYTES = 4096;

const LF = 0x0a;
const CR = 0x0d;

const WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
/** `From sender Mon Jun  1 10:00:00 2009`, with a zone before or after the year, as `ctime` and its kin write it. */
const EXACT = new RegExp(
  String.raw`^From (?:.* )?${WEEKDAY},? +${MONTH} +\d{1,2} +\d{1,2}:\d{2}(?::\d{2})?(?: +\S+){1,3}\s*$`,
);
/** Netscape and Thunderbird write `From -`, some exports only an address, others a date in another form. */
const LOOSE = [
  /^From -\s*$/,
  /^From \S+@\S+\s*$/,
  /^From \S.*\b\d{1,2}:\d{2}.*\b\d{4}\b/,
  /^From \S.*\b\d{4}\b.*\b\d{1,2}:\d{2}/,
];

const HEADER_LINE = /^(?:[!-9;-~]+[ \t]*:|>+From )/;

/** Whether a message begins at `at`, the start of a line in an mbox file. */
export function isSeparator(bytes: Buffer, at: number): boolean {
  const end = Math.min(bytes.length, at + SEPARATOR_LOOK_BYTES);
  const [line = "", next] = bytes.toString("latin1", at, end).split("\n", 2);
  if (!line.startsWith("From ")) return false;
  const exact = EXACT.test(line);
  if (!exact && !LOOSE.some((form) => form.test(line))) return false;
  if (next === undefined) return exact;
  return HEADER_LINE.test(next) || (exact && next.trim() === "" && isAfterBlankLine(bytes, at));
}

function isAfterBlankLine(bytes: Buffer, at: number): boolean {
  if (at === 0) return true;
  const before = bytes[at - 2] === CR ? at - 3 : at - 2;
  return bytes[at - 1] === LF && (before < 0 || bytes[before] === LF);
}
