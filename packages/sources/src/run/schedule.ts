/** When a sync runs next. */
import { ApiError } from "@rungs/contract";
import type { SyncSchedule } from "@rungs/store";
import { Cron } from "croner";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** The longest pause after failures. */
const BACKOFF_MAX_MS = 6 * 60 * MINUTE_MS;

/** The longest pause that a source can ask for. */
const ASKED_MAX_MS = 24 * 60 * MINUTE_MS;

/** The first pause after a failure, by its code: retrying a wrong password often locks accounts. */
const FIRST_PAUSE_MS: Readonly<Record<string, number>> = {
  source_refused: 30 * MINUTE_MS,
  source_throttled: 15 * MINUTE_MS,
};

/** Checks a schedule; throws `invalid_request`. */
export function requireSchedule(schedule: SyncSchedule): SyncSchedule {
  const isGood =
    schedule.kind === "every"
      ? Number.isInteger(schedule.minutes) && schedule.minutes >= 1 && schedule.minutes <= 31 * DAY_MINUTES
      : findNext(schedule.pattern, Date.now()) !== undefined;
  if (isGood) return schedule;
  throw new ApiError("invalid_request", {
    param: "schedule",
    message:
      schedule.kind === "every"
        ? "The interval is not a whole number of minutes from 1 to 44640."
        : "The cron pattern is invalid or never matches.",
    next: "Give minutes, or a pattern such as '0 3 * * *'.",
  });
}

/** When a sync runs next after a good run. */
export function planNext(schedule: SyncSchedule, now_ms: number): number {
  if (schedule.kind === "every") return now_ms + schedule.minutes * MINUTE_MS;
  return findNext(schedule.pattern, now_ms) ?? now_ms + BACKOFF_MAX_MS;
}

/** When to retry a failed sync: exponential back-off, with jitter so that sources do not all retry at once. */
export function planRetry(
  code: string,
  failure_count: number,
  {
    now_ms,
    asked_ms = 0,
    random = Math.random,
  }: {
    readonly now_ms: number;
    /** The minimum wait that the source asks for. */
    readonly asked_ms?: number;
    readonly random?: () => number;
  },
): number {
  const first = FIRST_PAUSE_MS[code] ?? MINUTE_MS;
  const pause = Math.min(first * 2 ** Math.min(failure_count - 1, 20), BACKOFF_MAX_MS);
  const wait = Math.max(pause * (0.75 + random() / 2), Math.min(asked_ms, ASKED_MAX_MS));
  return Math.round(now_ms + wait);
}

function findNext(pattern: string, now_ms: number): number | undefined {
  try {
    return new Cron(pattern).nextRun(new Date(now_ms))?.getTime();
  } catch {
    return undefined;
  }
}
