import { ownerScope, type ReadScope } from "@rungs/contract";
import { readSources } from "../access/sources.ts";
import type { ConnectionSummary } from "./connections.ts";
import type { OwnerContext } from "./owner-context.ts";
import { type CoreYears, findCoreYears } from "./timeline-core.ts";

/** How many records a connection has in each day, month or year. */
export interface RecordHistogram {
  readonly bucket: "day" | "month" | "year";
  /** By the start of the period, such as `2026-03`; omits periods without records. */
  readonly counts: ReadonlyMap<string, number>;
  /** Records with times far from all others, which `counts` leaves out: how many, and the years of the first and the last. */
  readonly outliers?: { readonly count: number; readonly first: string; readonly last: string } | undefined;
}

/** The longest spans that are counted by day and by month, in days. */
const LONGEST = { day: 92, month: 8 * 366 };
const DAY_MS = 24 * 60 * 60 * 1000;
const GROUPS_MAX = 10_000;

/** Counts a connection's records over time; undefined when no record has a time. */
export type HistogramReader = (connection: ConnectionSummary) => Promise<RecordHistogram | undefined>;

/** Creates the function that counts over time. It scans all records, so it caches each result until the records change. */
export function createHistogramReader(owner: OwnerContext): HistogramReader {
  const known = new Map<string, { readonly facts: string; readonly timeline: RecordHistogram | undefined }>();

  return async (connection) => {
    const facts = JSON.stringify(connection.streams);
    const found = known.get(connection.connection_id);
    if (found?.facts === facts) return found.timeline;
    const timeline = await countRecords(owner, connection);
    known.set(connection.connection_id, { facts, timeline });
    return timeline;
  };
}

async function countRecords(
  { store, owner_id, now }: OwnerContext,
  { connection_id, streams }: ConnectionSummary,
): Promise<RecordHistogram | undefined> {
  const timed = streams.flatMap(({ stream, time_range }) => (time_range ? [{ stream, ...time_range }] : []));
  if (timed.length === 0) return undefined;
  const sources = await readSources(store, owner_id);
  const scope = ownerScope(owner_id, [...sources.values()]);
  const count = (bucket: RecordHistogram["bucket"]) =>
    countPeriods({ store, scope, connection_id, streams: timed.map(({ stream }) => stream) }, bucket);
  const first_ms = Math.min(...timed.map((each) => each.first_ms));
  const last_ms = Math.max(...timed.map((each) => each.last_ms));
  const days = (last_ms - first_ms) / DAY_MS;
  if (days <= LONGEST.month) {
    const bucket = days <= LONGEST.day ? "day" : "month";
    return { bucket, counts: await count(bucket) };
  }
  const years = await count("year");
  const core = findCoreYears(years, new Date(now()).getUTCFullYear());
  const bucket = core.last - core.first <= 2 ? "month" : "year";
  return clip(bucket, bucket === "year" ? years : await count(bucket), core);
}

interface Counted {
  readonly store: OwnerContext["store"];
  readonly scope: ReadScope;
  readonly connection_id: string;
  readonly streams: readonly string[];
}

async function countPeriods(
  { store, scope, connection_id, streams }: Counted,
  time_bucket: RecordHistogram["bucket"],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const stream of streams) {
    const request = { connection_id, stream, metric: "count", time_bucket, limit: GROUPS_MAX } as const;
    const { groups } = await store.aggregate(scope, request);
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
