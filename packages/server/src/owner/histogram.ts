import { ownerScope } from "@rungs/contract";
import type { AggregateRequest } from "@rungs/store";
import { readSources } from "../access/sources.ts";
import type { ConnectionSummary } from "./connections.ts";
import type { OwnerContext } from "./owner-context.ts";

/** How many records a connection has in each day, month or year. */
export interface RecordHistogram {
  readonly bucket: NonNullable<AggregateRequest["time_bucket"]>;
  /** By the start of the period, such as `2026-03`; omits periods without records. */
  readonly counts: ReadonlyMap<string, number>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The longest spans that are counted by day and by month. */
const LONGEST = { day: 92 * DAY_MS, month: 8 * 366 * DAY_MS };
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
  { store, owner_id }: OwnerContext,
  { connection_id, streams }: ConnectionSummary,
): Promise<RecordHistogram | undefined> {
  const timed = streams.flatMap(({ stream, time_range }) => (time_range ? [{ stream, ...time_range }] : []));
  if (timed.length === 0) return undefined;
  const span =
    Math.max(...timed.map(({ last_ms }) => last_ms)) - Math.min(...timed.map(({ first_ms }) => first_ms));
  const bucket = span <= LONGEST.day ? "day" : span <= LONGEST.month ? "month" : "year";
  const sources = await readSources(store, owner_id);
  const scope = ownerScope(owner_id, [...sources.values()]);
  const counts = new Map<string, number>();
  for (const { stream } of timed) {
    const request = {
      connection_id,
      stream,
      metric: "count",
      time_bucket: bucket,
      limit: GROUPS_MAX,
    } as const;
    const { groups } = await store.aggregate(scope, request);
    for (const { group, record_count } of groups) {
      if (typeof group === "string") counts.set(group, (counts.get(group) ?? 0) + record_count);
    }
  }
  return { bucket, counts };
}
