/** How many records a source has over time, counted by the operation `aggregate`: each count is in the audit log. */
import type { Client } from "@rungs/client";
import type { SourceSummary } from "./sources.ts";

/** How many records a connection has in each day, month or year. */
export interface RecordHistogram {
  readonly bucket: "day" | "month" | "year";
  /** By the start of the period, such as `2026-03`; omits periods without records. */
  readonly counts: ReadonlyMap<string, number>;
  /** Outliers, which `counts` omits: how many, and the years of the first and the last. */
  readonly outliers?: { readonly count: number; readonly first: string; readonly last: string } | undefined;
}

/** The longest spans that are counted by day and by month, in days: no more periods than `aggregate` answers. */
const LONGEST = { day: 92, month: 8 * 366 };
const DAY_MS = 24 * 60 * 60 * 1000;
const PERIODS_MAX = 100;

/** Counts a source's records over time; undefined when no record has a time. */
export async function countOverTime(
  client: Client,
  { streams }: SourceSummary,
  now_ms: number,
): Promise<RecordHistogram | undefined> {
  const times = streams.flatMap(({ time_range }) => (time_range ? [time_range] : []));
  if (times.length === 0) return undefined;
  const timed = streams.filter(({ time_range }) => time_range);
  const count = (bucket: RecordHistogram["bucket"]) => countPeriods(client, timed, bucket);
  const first_ms = Math.min(...times.map(({ first }) => Date.parse(first)));
  const last_ms = Math.max(...times.map(({ last }) => Date.parse(last)));
  const days = (last_ms - first_ms) / DAY_MS;
  if (days <= LONGEST.month) {
    const bucket = days <= LONGEST.day ? "day" : "month";
    return { bucket, counts: await count(bucket) };
  }
  const years = await count("year");
  const core = findCoreYears(years, new Date(now_ms).getUTCFullYear());
  const bucket = core.last - core.first <= 2 ? "month" : "year";
  return clip(bucket, bucket === "year" ? years : await count(bucket), core);
}

async function countPeriods(
  client: Client,
  streams: SourceSummary["streams"],
  time_bucket: RecordHistogram["bucket"],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { connection_id, stream } of streams) {
    const request = { connection_id, stream, metric: "count", time_bucket, limit: PERIODS_MAX } as const;
    const { groups } = await client.call("aggregate", request);
    for (const { group, record_count } of groups) {
      if (typeof group === "string") counts.set(group, (counts.get(group) ?? 0) + record_count);
    }
  }
  return counts;
}

function clip(
  bucket: RecordHistogram["bucket"],
  all: ReadonlyMap<string, number>,
  { first, last, outliers }: CoreYears,
): RecordHistogram {
  const counts = new Map(
    [...all].filter(([period]) => {
      const year = Number.parseInt(period, 10);
      return year >= first && year <= last;
    }),
  );
  return { bucket, counts, ...(outliers && { outliers }) };
}

/** The years to show, and the records outside them: one mail dated 3609 must not turn a mailbox into a single bar. */
interface CoreYears {
  readonly first: number;
  readonly last: number;
  readonly outliers?: RecordHistogram["outliers"];
}

/** The minimum gap in years between an outlier and the others. */
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
