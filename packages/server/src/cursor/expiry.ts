const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** When a cursor of a page or a window made now expires: after a day, rounded up, so that the same page has the same cursor. */
export function expireAfterDay(now_ms: number): number {
  return Math.ceil((now_ms + DAY_MS) / HOUR_MS) * HOUR_MS;
}

/**
 * The same to the millisecond, for cursors that hold the owner's change counter: two of them must not be equal, or their
 * holder could tell whether anything was written outside the grant.
 */
export function expireAfterExactDay(now_ms: number): number {
  return now_ms + DAY_MS;
}

/** When a place in the changes expires as far as its cursor is concerned: the store ends it before. */
export function expireAfterYears(now_ms: number): number {
  return now_ms + 3650 * DAY_MS;
}
