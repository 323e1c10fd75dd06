/**
 * The zones that a calendar defines (RFC 5545 §3.6.5), computed for one year at a time. Not by expanding the rules: a
 * hostile rule, such as one that recurs every second since 1601, would expand for hours.
 */
import { parseTimeMs } from "@rungs/contract";
import type { ContentLine } from "../vobject/content-lines.ts";

/** A zone: finds the minutes east of UTC at a local time, which is given in milliseconds as if it were UTC. */
export type ZoneRules = (localMs: number) => number | undefined;

/** One period of standard or daylight time: when it begins, and the offsets before and after. */
interface Observance {
  readonly from_minutes: number;
  readonly to_minutes: number;
  /** Local times by the offset before. */
  readonly fixed: readonly number[];
  readonly yearly: YearlyRule | undefined;
}

/** A day of every year: the nth weekday of a month, or the first of some days that is such a weekday. */
interface YearlyRule {
  readonly start_ms: number;
  readonly until_ms: number;
  readonly month: number;
  readonly weekday: number | undefined;
  readonly nth: number;
  readonly days: readonly number[];
}

/** Parses the lines of a VTIMEZONE; undefined if it has no name or no period that can be read. */
export function parseZone(
  lines: readonly ContentLine[],
): { readonly tzid: string; readonly rules: ZoneRules } | undefined {
  const tzid = lines.flatMap(({ text }) => /^TZID[^:]*:(.*)$/i.exec(text)?.[1] ?? [])[0]?.trim();
  const observances = splitPeriods(lines).flatMap((period) => parseObservance(period) ?? []);
  if (!tzid || observances.length === 0) return undefined;
  return { tzid, rules: (localMs) => findOffset(observances, localMs) };
}

/** The latest period that began by then; before the first one, the offset before it. */
function findOffset(observances: readonly Observance[], localMs: number): number | undefined {
  const onsets = observances.flatMap((each) =>
    listOnsets(each, new Date(localMs).getUTCFullYear()).map((atMs) => ({ atMs, each })),
  );
  const begun = onsets.filter(({ atMs }) => atMs <= localMs).toSorted((a, b) => b.atMs - a.atMs)[0];
  if (begun) return begun.each.to_minutes;
  return onsets.toSorted((a, b) => a.atMs - b.atMs)[0]?.each.from_minutes;
}

/** When a period begins: its fixed times, and its day in this year and in the one before. */
function listOnsets({ fixed, yearly }: Observance, year: number): number[] {
  if (!yearly) return [...fixed];
  const days = [year - 1, year].flatMap((each) => findDay(yearly, each) ?? []);
  return [...fixed, ...days.filter((atMs) => atMs >= yearly.start_ms && atMs <= yearly.until_ms)];
}

const DAY_MS = 86_400_000;

function findDay({ start_ms, month, weekday, nth, days }: YearlyRule, year: number): number | undefined {
  const clockMs = ((start_ms % DAY_MS) + DAY_MS) % DAY_MS;
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const fits = Array.from({ length: last }, (_, at) => at + 1).filter(
    (day) =>
      (days.length === 0 || days.includes(day)) &&
      (weekday === undefined || new Date(Date.UTC(year, month - 1, day)).getUTCDay() === weekday),
  );
  const day = fits.at(nth > 0 ? nth - 1 : nth);
  return day === undefined ? undefined : Date.UTC(year, month - 1, day) + clockMs;
}

function splitPeriods(lines: readonly ContentLine[]): ReadonlyMap<string, string>[] {
  const periods: Map<string, string>[] = [];
  let open: Map<string, string> | undefined;
  for (const { text } of lines) {
    if (/^BEGIN:\s*(?:STANDARD|DAYLIGHT)\s*$/i.test(text)) open = new Map();
    else if (/^END:/i.test(text)) {
      if (open) periods.push(open);
      open = undefined;
    } else {
      const [, name, value] = /^([\w-]+)[^:]*:(.*)$/.exec(text) ?? [];
      if (open && name && value !== undefined) {
        const before = open.get(name.toUpperCase());
        open.set(name.toUpperCase(), before === undefined ? value.trim() : `${before},${value.trim()}`);
      }
    }
  }
  return periods;
}

function parseObservance(period: ReadonlyMap<string, string>): Observance | undefined {
  const start_ms = parseLocal(period.get("DTSTART") ?? "");
  const from_minutes = parseOffset(period.get("TZOFFSETFROM") ?? "");
  const to_minutes = parseOffset(period.get("TZOFFSETTO") ?? "");
  if (start_ms === undefined || from_minutes === undefined || to_minutes === undefined) return undefined;
  const rule = period.get("RRULE");
  const yearly = rule === undefined ? undefined : parseYearly(rule, start_ms, from_minutes);
  const dates = (period.get("RDATE") ?? "").split(",").flatMap((date) => parseLocal(date) ?? []);
  return { from_minutes, to_minutes, fixed: yearly ? dates : [start_ms, ...dates], yearly };
}

/** Zones use yearly rules; for any other rule, only its first day counts. */
function parseYearly(rule: string, start_ms: number, from_minutes: number): YearlyRule | undefined {
  const parts = new Map(
    rule
      .toUpperCase()
      .split(";")
      .map((part) => part.split("=", 2) as [string, string]),
  );
  const start = new Date(start_ms);
  const [, nth, name] = /^([+-]?\d{1,2})?(SU|MO|TU|WE|TH|FR|SA)$/.exec(parts.get("BYDAY") ?? "") ?? [];
  const days = (parts.get("BYMONTHDAY") ?? "").split(",").flatMap((day) => (day === "" ? [] : [Number(day)]));
  if (parts.get("FREQ") !== "YEARLY" || Number(parts.get("INTERVAL") ?? 1) !== 1) return undefined;
  if (parts.has("BYDAY") && name === undefined) return undefined;
  const untilMs = parseLocal((parts.get("UNTIL") ?? "").replace(/Z$/, ""));
  const count = Number(parts.get("COUNT") ?? Number.NaN);
  const last_ms = count > 0 ? Date.UTC(start.getUTCFullYear() + count, 0) : Number.POSITIVE_INFINITY;
  return {
    start_ms,
    // UNTIL is in UTC, the times of a zone are local.
    until_ms: untilMs === undefined ? last_ms : untilMs + from_minutes * 60_000,
    month: Number(parts.get("BYMONTH") ?? start.getUTCMonth() + 1),
    weekday: name === undefined ? undefined : WEEKDAYS.indexOf(name),
    nth: Number(nth ?? 1),
    days: days.length > 0 || name !== undefined ? days : [start.getUTCDate()],
  };
}

const WEEKDAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];

function parseLocal(text: string): number | undefined {
  const [, year, month, day, hour = "00", minute = "00", second = "00"] =
    /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z?)?$/.exec(text.trim()) ?? [];
  return year === undefined ? undefined : parseTimeMs(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
}

function parseOffset(text: string): number | undefined {
  const [, sign, hours, minutes] = /^([+-])(\d{2})(\d{2})(?:\d{2})?$/.exec(text.trim()) ?? [];
  if (sign === undefined) return undefined;
  return (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
}
