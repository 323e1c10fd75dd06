/** The date and time at the beginning of a message, in the layouts that phones write. */

/** The program that wrote the file. A file has one layout, so another layout inside a message is a quotation. */
export type Layout = "ios" | "android" | "legacy";

/** The beginning of a message. */
export interface Stamp {
  readonly layout: Layout;
  /** As written. */
  readonly written: string;
  /** The three numbers of the date in their written order, years by the Gregorian calendar. */
  readonly date: readonly [string, string, string];
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** The rest of the line. */
  readonly rest: string;
}

/** The zeros of the digits that phones write: ASCII, Arabic, Persian, of India and of South-East Asia, full width. */
const ZEROS = [
  0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0x1040,
  0x17e0, 0xff10,
];

/** One digit of any of these scripts, for a regular expression. */
const DIGIT = `[${ZEROS.map((zero) => `${String.fromCodePoint(zero)}-${String.fromCodePoint(zero + 9)}`).join("")}]`;

/** Direction marks and byte order marks, which phones put anywhere. */
const MARKS = String.raw`[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]*`;
const ERA_YEAR = `[MTSHR]${DIGIT}{1,2}`;
const SIGN = String.raw`${MARKS}\k<sign>${MARKS}\s?${MARKS}`;
const NUMBERS = String.raw`(?<a>${DIGIT}{1,4}|${ERA_YEAR})${MARKS}(?<sign>[./-])${MARKS}\s?${MARKS}(?<b>${DIGIT}{1,2})${SIGN}(?<c>${ERA_YEAR}|${DIGIT}{1,4})(?:\s?(?<era>B\.?E\.?|พ\.ศ\.))?`;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = `(?<month>${MONTHS.join("|")})[a-z]{0,6}`;
/** `28 Feb 2013`, as phones wrote it until 2014, and `Feb 28, 2013`. */
const DATES = [
  NUMBERS,
  String.raw`(?<a>${DIGIT}{1,2})\s${MONTH}\.?,?\s(?<c>${DIGIT}{4})`,
  String.raw`${MONTH}\.?\s(?<a>${DIGIT}{1,2}),?\s(?<c>${DIGIT}{4})`,
];
/** A comma or a word between date and time; `\s` takes U+202F and U+00A0 too. */
const BETWEEN = String.raw`${MARKS}[,.،]?\s${MARKS}(?:(?:à|um|at|kl\.|a las|om|ob|lúc|في)\s)?`;
const MORNING = [
  "A\\.?\\s?M\\.?",
  "上午",
  "凌晨",
  "早上",
  "午前",
  "오전",
  "ص",
  "SA",
  "ÖÖ",
  "π\\.?μ\\.?",
  "ق\\.ظ\\.?",
  "ก่อนเที่ยง",
];
const AFTERNOON = [
  "P\\.?\\s?M\\.?",
  "下午",
  "中午",
  "晚上",
  "午後",
  "오후",
  "م",
  "CH",
  "ÖS",
  "μ\\.?μ\\.?",
  "ب\\.ظ\\.?",
  "หลังเที่ยง",
];
const NOON = [...MORNING, ...AFTERNOON].join("|");
const CLOCK = String.raw`(?:(?<before>${NOON})\s?)?(?<hours>${DIGIT}{1,2})[:.](?<minutes>${DIGIT}{2})(?:[:.](?<seconds>${DIGIT}{2}))?(?:\s?${MARKS}(?<after>${NOON}))?`;
const WHENS = DATES.flatMap((date) => [
  `(?<written>${date}${BETWEEN}${CLOCK})`,
  // Vietnamese phones and those of 2013 write the time first.
  String.raw`(?<written>${CLOCK}${MARKS},?\s${MARKS}${date})`,
]);
const REST = String.raw`\s${MARKS}(?<rest>.*)$`;

const FRAMES: Readonly<Record<Layout, (when: string) => string>> = {
  ios: (when) => String.raw`^${MARKS}\[${MARKS}${when}${MARKS}\]${REST}`,
  android: (when) => String.raw`^${MARKS}${when}${MARKS}\s-${REST}`,
  legacy: (when) => `^${MARKS}${when}${MARKS}:${REST}`,
};

const compile = (layout: Layout) => WHENS.map((when) => new RegExp(FRAMES[layout](when), "is"));
const layouts: Readonly<Record<Layout, readonly RegExp[]>> = {
  ios: compile("ios"),
  android: compile("android"),
  legacy: compile("legacy"),
};

const IS_AFTERNOON = new RegExp(`^(?:${AFTERNOON.join("|")})$`, "i");
/** A cheap pre-check: the common prefix of all layouts, which most other lines of a chat lack. */
const START = new RegExp(
  String.raw`^${MARKS}\[?${MARKS}(?:${DIGIT}|${NOON}|[MTSHR]${DIGIT}|${MONTHS.join("|")})`,
  "i",
);

/** Parses the beginning of a message, in one layout or in any; undefined for other lines. */
export function parseStamp(line: string, layout?: Layout): Stamp | undefined {
  if (!START.test(line)) return undefined;
  for (const each of layout === undefined ? (Object.keys(layouts) as Layout[]) : [layout]) {
    for (const form of layouts[each]) {
      const parts = form.exec(line)?.groups;
      if (parts) return createStamp(each, parts);
    }
  }
  return undefined;
}

function createStamp(layout: Layout, parts: Readonly<Record<string, string | undefined>>): Stamp | undefined {
  const { written = "", a = "", b = "", c = "", era, month, before, after, rest = "" } = parts;
  const [hour = 0, minute = 0, second = 0] = [parts.hours, parts.minutes, parts.seconds].map((text) =>
    Number(toAsciiDigits(text ?? "0")),
  );
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const noon = before ?? after;
  const isHalf = noon !== undefined && hour <= 12;
  const [first, last] = [toYear(a, undefined), toYear(c, era)];
  return {
    layout,
    written,
    // A named month is unambiguous: only this order is a valid date.
    date: month === undefined ? [first, toAsciiDigits(b), last] : [last, String(findMonth(month)), first],
    hour: isHalf ? (hour % 12) + (IS_AFTERNOON.test(noon) ? 12 : 0) : hour,
    minute,
    second,
    rest,
  };
}

function findMonth(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

/** The year before the first of each Japanese era. */
const ERAS: Readonly<Record<string, number>> = { M: 1867, T: 1911, S: 1925, H: 1988, R: 2018 };
const BUDDHIST = 543;

/** Converts a year of another calendar to Gregorian; keeps other numbers. Years from 2400 to 2700 are Buddhist. */
function toYear(text: string, era: string | undefined): string {
  const japanese = ERAS[text[0]?.toUpperCase() ?? ""];
  if (japanese !== undefined) return String(japanese + Number(toAsciiDigits(text.slice(1))));
  const digits = toAsciiDigits(text);
  const year = Number(digits);
  const isBuddhist = era !== undefined || (digits.length === 4 && year >= 2400 && year <= 2700);
  return isBuddhist ? String((digits.length === 2 ? 2500 + year : year) - BUDDHIST) : digits;
}

const COUNTED_LINES = 200;

/** Counts the first lines that look like messages. */
export function countStamps(text: string): number {
  return text.split("\n", COUNTED_LINES).filter((line) => parseStamp(line.slice(0, STAMP_MAX_CHARS))).length;
}

/** A stamp is at the beginning of its line; ignore the rest. */
const STAMP_MAX_CHARS = 256;

/** The same text with ASCII digits. */
function toAsciiDigits(text: string): string {
  return text.replace(new RegExp(DIGIT, "g"), (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    return String(code - (ZEROS.findLast((zero) => zero <= code) ?? 0));
  });
}
