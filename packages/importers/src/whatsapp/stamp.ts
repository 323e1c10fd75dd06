/** The date and time at the beginning of a message, in the layouts that phones write. */

/** Which program wrote the file. A file has one layout, so another layout inside a message is a quotation. */
export type Layout = "ios" | "android" | "legacy";

/** The beginning of a message. */
export interface Stamp {
  readonly layout: Layout;
  /** As written. */
  readonly written: string;
  /** The three numbers of the date in their written order. */
  readonly date: readonly [string, string, string];
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** The rest of the line. */
  readonly rest: string;
}

const MARKS = String.raw`[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]*`;
const DATE = String.raw`(?<a>\d{1,4})(?<sign>[./-])\s?(?<b>\d{1,2})\k<sign>\s?(?<c>\d{1,4})`;
/** A comma or a word between date and time; `\s` takes U+202F and U+00A0 too. */
const BETWEEN = String.raw`[,.]?\s(?:(?:à|um|at|kl\.|a las)\s)?`;
const NOON = String.raw`[AaPp]\.?\s?[Mm]\.?|上午|下午|午前|午後|오전|오후`;
const CLOCK = String.raw`(?<hours>\d{1,2})[:.](?<minutes>\d{2})(?:[:.](?<seconds>\d{2}))?`;
const WHEN = String.raw`(?<written>${DATE}${BETWEEN}(?:(?<before>${NOON})\s?)?${CLOCK}(?:\s?(?<after>${NOON}))?)`;
const REST = String.raw`\s${MARKS}(?<rest>.*)$`;

const layouts: Readonly<Record<Layout, RegExp>> = {
  ios: new RegExp(String.raw`^${MARKS}\[${WHEN}\]${REST}`, "s"),
  android: new RegExp(String.raw`^${MARKS}${WHEN}\s-${REST}`, "s"),
  legacy: new RegExp(`^${MARKS}${WHEN}:${REST}`, "s"),
};

const AFTERNOON = /^(?:p|下午|午後|오후)/i;

/** Parses the beginning of a message, in one layout or in any; undefined for other lines. */
export function parseStamp(line: string, layout?: Layout): Stamp | undefined {
  for (const each of layout === undefined ? (Object.keys(layouts) as Layout[]) : [layout]) {
    const parts = layouts[each].exec(line)?.groups;
    if (parts) return createStamp(each, parts);
  }
  return undefined;
}

function createStamp(layout: Layout, parts: Readonly<Record<string, string | undefined>>): Stamp | undefined {
  const { written = "", a = "", b = "", c = "", before, after, rest = "" } = parts;
  const [hour, minute, second] = [Number(parts.hours), Number(parts.minutes), Number(parts.seconds ?? 0)];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const noon = before ?? after;
  const isHalf = noon !== undefined && hour <= 12;
  return {
    layout,
    written,
    date: [a, b, c],
    hour: isHalf ? (hour % 12) + (AFTERNOON.test(noon) ? 12 : 0) : hour,
    minute,
    second,
    rest,
  };
}
