/** The years that most records are in: one mail with a date in 3609 must not turn a mailbox into a single bar. */
import type { RecordHistogram } from "./histogram.ts";

/** The first and the last year to show, and what is outside. */
export interface CoreYears {
  readonly first: number;
  readonly last: number;
  readonly outliers?: RecordHistogram["outliers"];
}

/** Years without a record between an outlier and the others. */
const GAP_YEARS = 5;
/** Records beyond this share are not outliers, unless they are in the future. */
const OUTLIER_SHARE = 0.02;

/** Finds the core among the counts by year. Outliers are few and far from the others, or in the future and far from the others. */
export function findCoreYears(years: ReadonlyMap<string, number>, this_year: number): CoreYears {
  const counts = [...years]
    .map(([period, count]) => ({ year: Number.parseInt(period, 10), count }))
    .sort((a, b) => a.year - b.year);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  let [start, end] = [0, counts.length - 1];
  const yearAt = (at: number) => counts[at]?.year ?? this_year;
  for (let [at, seen] = [end, 0]; at > start; at -= 1) {
    seen += counts[at]?.count ?? 0;
    const isFuture = yearAt(at) > this_year + 1;
    if (seen > total * OUTLIER_SHARE && !isFuture) break;
    if (yearAt(at) - yearAt(at - 1) > GAP_YEARS) end = at - 1;
  }
  for (let [at, seen] = [start, 0]; at < end; at += 1) {
    seen += counts[at]?.count ?? 0;
    if (seen > total * OUTLIER_SHARE) break;
    if (yearAt(at + 1) - yearAt(at) > GAP_YEARS) start = at + 1;
  }
  const outside = [...counts.slice(0, start), ...counts.slice(end + 1)];
  const core = { first: yearAt(start), last: yearAt(end) };
  if (outside.length === 0) return core;
  const count = outside.reduce((sum, each) => sum + each.count, 0);
  const [first, last] = [outside[0], outside.at(-1)].map((each) => String(each?.year));
  return { ...core, outliers: { count, first: first ?? "", last: last ?? "" } };
}
