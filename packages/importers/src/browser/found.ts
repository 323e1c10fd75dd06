/** A bookmark, with the folders that it is in. */
export interface FoundBookmark {
  readonly kind: "bookmark";
  readonly title: string;
  readonly url: string;
  readonly folders: readonly string[];
  readonly tags: readonly string[];
  readonly description?: string | undefined;
  readonly added_at: string | undefined;
}

/** A visit to a page. */
export interface FoundVisit {
  readonly kind: "visit";
  readonly title: string;
  readonly url: string;
  readonly visited_at: string | undefined;
}

/** Milliseconds since 1970 as a time; undefined if absent or out of range. */
export function toTime(ms: number): string | undefined {
  const time = new Date(ms);
  return ms <= 0 || Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9999
    ? undefined
    : time.toISOString();
}

/** Milliseconds between 1601, where Chrome's times begin, and 1970. */
const CHROME_EPOCH_MS = 11_644_473_600_000;

/** A time of Chrome: microseconds since 1601. */
export function toChromeTime(microseconds: number): string | undefined {
  return toTime(microseconds / 1000 - CHROME_EPOCH_MS);
}
