/** Formats numbers, times and sizes for people. */
import { sliceChars } from "@rungs/evidence";
import { type Html, html } from "./html.ts";

/** Formats a number with thousands separators. */
export function formatNumber(number: number): string {
  return number.toLocaleString("en");
}

/** Formats a count with its noun. */
export function formatCount(number: number, one: string, many = `${one}s`): string {
  return `${formatNumber(number)} ${number === 1 ? one : many}`;
}

/** Joins words: `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  const [last = "", ...before] = words.toReversed();
  return before.length === 0 ? last : `${before.toReversed().join(", ")} and ${last}`;
}

/** Formats a size in a suitable unit. */
export function formatSize(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1000 ** step).toPrecision(3)).toLocaleString("en")} ${units[step]}`;
}

/** A day, or a time without a known zone, which `Date` would read in the server's zone. */
const LOCAL = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?)?$/;

/** A time with a UTC offset. */
const PLACED = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?([+-]\d\d:\d\d)$/;

/** Renders a time to the minute, in its own zone if known; text that is not a time stays as it is. */
export function renderTime(time: string | number): Html | string {
  const { iso, day, minute, zone } = readTime(time) ?? {};
  return day === undefined
    ? String(time)
    : html`<time datetime="${iso}">${joinTime(day, minute, zone)}</time>`;
}

/** Renders the beginning and, if known, the end of something; shows a shared day, minute and zone once. */
export function renderTimes(start: string, end: string | undefined): Html | string {
  const [from, to] = [readTime(start), end === undefined ? undefined : readTime(end)];
  const isOne = !to || (from?.day === to.day && from.minute === to.minute && from.zone === to.zone);
  if (isOne) return renderTime(start);
  if (!from || from.minute === undefined || to.minute === undefined || from.zone !== to.zone)
    return html`${renderTime(start)} – ${renderTime(end ?? "")}`;
  const until = from.day === to.day ? joinTime(to.minute, to.zone) : joinTime(to.day, to.minute, to.zone);
  return html`<time datetime="${from.iso}">${joinTime(from.day, from.minute)}</time> – <time datetime="${to.iso}">${until}</time>`;
}

interface ReadTime {
  readonly iso: string;
  readonly day: string;
  readonly minute?: string | undefined;
  readonly zone?: string | undefined;
}

function readTime(time: string | number): ReadTime | undefined {
  const text = String(time);
  const [, own_day, own_minute] = LOCAL.exec(text) ?? [];
  if (own_day !== undefined) return { iso: text, day: own_day, minute: own_minute };
  const [, day, minute, offset = ""] = PLACED.exec(text) ?? [];
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return undefined;
  const iso = date.toISOString();
  if (day !== undefined && !/00:00$/.test(offset))
    return { iso, day, minute, zone: `UTC${offset.replace("-", "−").replace(/:00$/, "")}` };
  return { iso, day: iso.slice(0, 10), minute: iso.slice(11, 16), zone: "UTC" };
}

function joinTime(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(" ");
}

/** Renders the day of a time, in UTC. */
export function renderDay(time: string | number): Html {
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)}</time>`;
}

/** Renders a range of days; a single day once. */
export function renderDays(first: string | number, last: string | number): Html {
  const [from, to] = [first, last].map((time) => new Date(time).toISOString().slice(0, 10));
  return from === to ? renderDay(first) : html`${renderDay(first)} – ${renderDay(last)}`;
}

const SHORT_CHARS = 40;

/** Shortens a long name that labels something else. */
export function shorten(name: string): string {
  return name.length <= SHORT_CHARS ? name : `${sliceChars(name, 0, SHORT_CHARS - 1)}…`;
}
