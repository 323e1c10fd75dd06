/** Dates as people write them: `31.12.2024`, `31/12/2024`, `12/31/2024`. */
import { parseTimeMs } from "@rungs/contract";

/** Which number of a written date can be the day. */
export type WrittenDate = "day-first" | "month-first" | "day-or-month-first";

const WRITTEN = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;

/** Whether a text is a date with the day first. */
export function isDayFirst(text: string): boolean {
  return readWrittenDate(text, "day-first") !== undefined;
}

/** Whether a text is a date with the month first; with dots, nobody writes it so. */
export function isMonthFirst(text: string): boolean {
  return readWrittenDate(text, "month-first") !== undefined;
}

/** The date in RFC 3339; undefined if it is none. */
export function readWrittenDate(text: string, form: "day-first" | "month-first"): string | undefined {
  const [, first = "", sign, second = "", year] = WRITTEN.exec(text) ?? [];
  if (year === undefined || (sign === "." && form === "month-first")) return undefined;
  const [day, month] = form === "day-first" ? [first, second] : [second, first];
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return parseTimeMs(date) === undefined ? undefined : date;
}
