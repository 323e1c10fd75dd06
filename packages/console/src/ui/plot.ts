/** Bar charts: SVG without inline styles, which the pages' CSP forbids. Each is one path, so that a page with many of them stays small. */
import type { RecordHistogram } from "../figures/histogram.ts";
import { type Html, html, when } from "./html.ts";
import { formatCount, formatNumber } from "./words.ts";

const HEIGHT = 48;
const BAR = 6;
const GAP = 2;
/** Fewer bars keep this many's width, and stand further apart: stretched, they would look like a block. */
const FEW = 12;
/** The maximum number of bars, whatever the times are. */
const BARS_MAX = 400;
const STEPS = {
  day: (date: Date, by: number) => date.setUTCDate(date.getUTCDate() + by),
  month: (date: Date, by: number) => date.setUTCMonth(date.getUTCMonth() + by),
  year: (date: Date, by: number) => date.setUTCFullYear(date.getUTCFullYear() + by),
} as const;
const CHARS = { day: 10, month: 7, year: 4 } as const;

/** Renders the record count of each period, with a text alternative; says what it leaves out. */
export function renderPlot(timeline: RecordHistogram, name: string): Html | string {
  const { bucket, counts, outliers } = timeline;
  const periods = listPeriods([...counts.keys()], bucket);
  const [first, last] = [periods[0], periods.at(-1)];
  // A single bar adds nothing to the times of the records.
  if (first === undefined || last === undefined || (first === last && !outliers)) return "";
  const bars = periods.map((period) => counts.get(period) ?? 0);
  const most = Math.max(...bars);
  const label = `Records of ${name} by ${bucket}, ${first} to ${last}; at most ${formatCount(most, "record")} in a ${bucket}.`;
  return html`<figure class="plot">${renderBars([bars], label)}
<figcaption><span>${first}</span><span>most in a ${bucket}: ${formatNumber(most)}</span><span>${last}</span></figcaption>
${when(outliers, ({ count, first, last }) => html`<p class="small">Not drawn: ${formatCount(count, "record")} dated ${first === last ? first : `${first} to ${last}`}, far from all others.</p>`)}</figure>`;
}

/** Renders series of bars, stacked; the classes `series0`, `series1`… colour them. */
export function renderBars(series: readonly (readonly number[])[], label: string): Html {
  const length = Math.max(0, ...series.map((each) => each.length));
  const sums = Array.from({ length }, (_, at) => series.reduce((sum, each) => sum + (each[at] ?? 0), 0));
  const most = Math.max(1, ...sums);
  const width = Math.max(FEW, length) * (BAR + GAP) - GAP;
  const step = (width - BAR) / Math.max(1, length - 1);
  const below = new Array<number>(length).fill(0);
  const paths = series.map((bars) =>
    bars
      .map((count, at) => {
        if (count === 0) return "";
        const height = Math.max(1, Math.round((count / most) * HEIGHT));
        const y = HEIGHT - (below[at] ?? 0);
        below[at] = (below[at] ?? 0) + height;
        return `M${Math.round(at * step)} ${y}v-${height}h${BAR}v${height}z`;
      })
      .join(""),
  );
  return html`<svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${paths.map((path, at) => html`<path class="series${at}" d="${path}"></path>`)}</svg>`;
}

/** Lists the periods from the first to the last, including empty ones. */
export function listPeriods(known: readonly string[], bucket: RecordHistogram["bucket"]): string[] {
  // Years beyond 9999 have a sign.
  const sorted = known.filter((period) => /^\d{4}/.test(period)).sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const periods: string[] = [];
  const date = new Date(`${last}${"-01-01".slice(last.length - CHARS.year)}T00:00:00Z`);
  while (periods.length < BARS_MAX && (periods[0] ?? "~") > first) {
    periods.unshift(date.toISOString().slice(0, CHARS[bucket]));
    STEPS[bucket](date, -1);
  }
  return periods;
}
