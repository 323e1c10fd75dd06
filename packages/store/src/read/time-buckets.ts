/** Names the stretch of time that a moment falls into, in a time zone. */
import type { AggregateRequest } from "../store.ts";

type TimeBucket = NonNullable<AggregateRequest["time_bucket"]>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Every zone of today is this many minutes off. */
const ZONE_STEP_MS = 15 * MINUTE_MS;

/** How finely the database groups moments before they are named: as coarsely as no bucket's border allows less. */
export function findStepMs(bucket: TimeBucket, time_zone: string | undefined): number {
  if (bucket === "minute") return MINUTE_MS;
  if (time_zone !== undefined) return ZONE_STEP_MS;
  return bucket === "hour" ? HOUR_MS : DAY_MS;
}

const NAMES: Readonly<Record<TimeBucket, (local: Date) => string>> = {
  minute: (local) => local.toISOString().slice(0, 16),
  hour: (local) => local.toISOString().slice(0, 13),
  day: nameDay,
  week: (local) => nameDay(new Date(local.getTime() - ((local.getUTCDay() + 6) % 7) * DAY_MS)),
  month: (local) => local.toISOString().slice(0, 7),
  quarter: (local) => `${local.toISOString().slice(0, 4)}-Q${Math.floor(local.getUTCMonth() / 3) + 1}`,
  year: (local) => local.toISOString().slice(0, 4),
};

function nameDay(local: Date): string {
  return local.toISOString().slice(0, 10);
}

/** Creates the function that names moments: 2026-05-01T09:30, 2026-05-01T09, 2026-05-01 (a day, or the Monday of a week), 2026-05, 2026-Q2 or 2026. */
export function createBucketNamer(bucket: TimeBucket, time_zone: string | undefined): (ms: number) => string {
  const name = NAMES[bucket];
  if (time_zone === undefined) return (ms) => name(new Date(ms));
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: time_zone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const local = new Date(0);
    local.setUTCFullYear(part("year"), part("month") - 1, part("day"));
    local.setUTCHours(part("hour"), part("minute"));
    return name(local);
  };
}
