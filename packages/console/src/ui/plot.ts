/** A bar chart of records over time: an SVG without inline styles, which the pages' CSP forbids. */
import type { RecordHistogram } from "@rungs/server";
import { type Html, html } from "./html.ts";
import { formatCount } from "./words.ts";

const HEIGHT = 48;
const BAR = 6;
const GAP = 2;
/** A record with a date in another century must not make a thousand bars. */
const BARS_MAX = 120;
/** A few bars would fill the page: earlier periods are drawn too. */
const BARS_MIN = 24;
const STEPS = {
  day: (date: Date, by: number) => date.setUTCDate(date.getUTCDate() + by),
  month: (date: Date, by: number) => date.setUTCMonth(date.getUTCMonth() + by),
  year: (date: Date, by: number) => date.setUTCFullYear(date.getUTCFullYear() + by),
} as const;
const CHARS = { day: 10, month: 7, year: 4 } as const;

/** Renders the record count of each period, with a text alternative. */
export function renderPlot(timeline: RecordHistogram, name: string): Html | string {
  const periods = listPeriods(timeline);
  const [first] = periods;
  const last = periods.at(-1);
  if (first === undefined || last === undefined) return "";
  const counts = periods.map((period) => timeline.counts.get(period) ?? 0);
  const most = Math.max(...counts);
  const width = periods.length * (BAR + GAP) - GAP;
  const label = `Records of ${name} by ${timeline.bucket}, ${first} to ${last}; at most ${formatCount(most, "record")} in a ${timeline.bucket}.`;
  return html`<figure class="plot"><svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">
${counts.map((count, at) => renderBar(count, at, most))}</svg>
<figcaption><span>${first}</span><span>by ${timeline.bucket}, at most ${most.toLocaleString("en")}</span><span>${last}</span></figcaption></figure>`;
}

function renderBar(count: number, at: number, most: number): Html | string {
  if (count === 0) return "";
  const height = Math.max(1, Math.round((count / most) * HEIGHT));
  return html`<rect x="${at * (BAR + GAP)}" y="${HEIGHT - height}" width="${BAR}" height="${height}"></rect>`;
}

/** Lists the periods up to the last, including empty ones, between the minimum and the maximum number of bars. */
function listPeriods({ bucket, counts }: RecordHistogram): string[] {
  // Years beyond 9999 have a sign, and sort before all others.
  const known = [...counts.keys()].filter((period) => /^\d/.test(period)).sort();
  const last = known.at(-1);
  const [first] = known.slice(-BARS_MAX);
  if (first === undefined || last === undefined) return [];
  const periods: string[] = [];
  const date = parsePeriod(last);
  while (periods.length < BARS_MIN || (periods.length < BARS_MAX && periods[0]! > first)) {
    periods.unshift(date.toISOString().slice(0, CHARS[bucket]));
    STEPS[bucket](date, -1);
  }
  return periods;
}

function parsePeriod(period: string): Date {
  return new Date(`${period}${"-01-01".slice(period.length - CHARS.year)}T00:00:00Z`);
}
