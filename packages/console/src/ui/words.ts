/** Numbers, times and sizes as people read them. */
import { type Html, html } from "./html.ts";

/** A number with its thousands apart. */
export function formatNumber(number: number): string {
  return number.toLocaleString("en");
}

/** How many there are of something. */
export function formatCount(number: number, one: string, many = `${one}s`): string {
  return `${formatNumber(number)} ${number === 1 ? one : many}`;
}

/** A size in the unit that fits it. */
export function formatSize(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1000 ** step).toPrecision(3)).toLocaleString("en")} ${units[step]}`;
}

/** A moment, to the minute, in UTC; what is no time is shown as it is. */
export function showTime(time: string | number): Html | string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  const iso = date.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}

/** The day of a moment, in UTC. */
export function showDay(time: string | number): Html {
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)}</time>`;
}
