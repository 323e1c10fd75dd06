const ISO_TIME = new RegExp(
  String.raw`^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})` +
    String.raw`(?:[Tt ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,30}))?)?` +
    String.raw`(?:[Zz]|(?<sign>[+-])(?<offsetHours>\d{2}):?(?<offsetMinutes>\d{2}))?)?$`,
);
const SECONDS_BELOW = 1e11;
const MAX_TIME_MS = 8.64e15;

/**
 * Parses a time into whole milliseconds, rounded down; undefined when the value is not a time. Accepts ISO 8601
 * dates and date-times (without an offset: UTC), and epoch seconds or milliseconds.
 */
export function parseTimeMs(value: unknown): number | undefined {
  if (typeof value === "string") return parseIsoMs(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return withinRange(Math.floor(Math.abs(value) < SECONDS_BELOW ? value * 1000 : value));
}

/** Whether an ISO 8601 time is more precise than milliseconds. */
export function isFinerThanMs(time: string): boolean {
  const fraction = ISO_TIME.exec(time)?.groups?.fraction ?? "";
  return /[1-9]/.test(fraction.slice(3));
}

function parseIsoMs(text: string): number | undefined {
  const parts = ISO_TIME.exec(text)?.groups;
  if (!parts) return undefined;
  const part = (name: string): number => Number(parts[name] ?? 0);
  const dayMs = parseDayMs(part("year"), part("month"), part("day"));
  if (dayMs === undefined || part("hour") > 23 || part("minute") > 59 || part("second") > 60) {
    return undefined;
  }
  if (part("offsetHours") > 23 || part("offsetMinutes") > 59) return undefined;
  const offsetMs =
    (part("offsetHours") * 60 + part("offsetMinutes")) * 60_000 * (parts.sign === "-" ? -1 : 1);
  const secondMs = ((part("hour") * 60 + part("minute")) * 60 + part("second")) * 1000;
  const fractionMs = Number((parts.fraction ?? "").slice(0, 3).padEnd(3, "0"));
  return withinRange(dayMs + secondMs + fractionMs - offsetMs);
}

/** Not `Date.UTC(year, …)`: it maps the years 0 to 99 to 1900 to 1999. */
function parseDayMs(year: number, month: number, day: number): number | undefined {
  const dayMs = new Date(0).setUTCFullYear(year, month - 1, day);
  const date = new Date(dayMs);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? dayMs : undefined;
}

function withinRange(timeMs: number): number | undefined {
  return Math.abs(timeMs) <= MAX_TIME_MS ? timeMs : undefined;
}
