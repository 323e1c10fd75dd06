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

/** A day, or a time whose zone is not known: `Date` would read the latter as a time where the server is. */
const LOCAL = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?)?$/;

/** Renders a time to the minute, in UTC if its zone is known; text that is not a time stays as it is. */
export function renderTime(time: string | number): Html | string {
  const [, day, minute] = LOCAL.exec(String(time)) ?? [];
  if (day !== undefined) return html`<time datetime="${time}">${minute ? `${day} ${minute}` : day}</time>`;
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  const iso = date.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}

/** Renders the day of a time, in UTC. */
export function renderDay(time: string | number): Html {
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)}</time>`;
}

/** Renders the days from one time to another; a single day once. */
export function renderDays(first: string | number, last: string | number): Html {
  const [from, to] = [first, last].map((time) => new Date(time).toISOString().slice(0, 10));
  return from === to ? renderDay(first) : html`${renderDay(first)} – ${renderDay(last)}`;
}

const SHORT_CHARS = 40;

/** The beginning of a long name, where it is a label of something else. */
export function shorten(name: string): string {
  return name.length <= SHORT_CHARS ? name : `${sliceChars(name, 0, SHORT_CHARS - 1)}…`;
}
