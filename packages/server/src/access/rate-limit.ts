import { ApiError } from "@rungs/contract";

/** How many requests are allowed: `burst` at once, then `per_second`. */
export interface Rate {
  readonly burst: number;
  readonly per_second: number;
}

/** Takes one request from the bucket of `key`, or throws `rate_limited`. */
export type RateLimit = (key: string) => void;

interface Bucket {
  left: number;
  at_ms: number;
}

/** Above this many buckets, those that have refilled are dropped. */
const BUCKETS_MAX = 10_000;

/** Creates a rate limit with one token bucket for each key. */
export function createRateLimit({ burst, per_second }: Rate, now: () => number): RateLimit {
  const buckets = new Map<string, Bucket>();
  const fill = ({ left, at_ms }: Bucket, now_ms: number): number =>
    Math.min(burst, left + (Math.max(0, now_ms - at_ms) * per_second) / 1000);

  return (key) => {
    const now_ms = now();
    const left = fill(buckets.get(key) ?? { left: burst, at_ms: now_ms }, now_ms);
    if (left < 1) {
      // If the clock went back, count the wait from the current time.
      buckets.set(key, { left, at_ms: now_ms });
      const retry_after_seconds = Math.ceil((1 - left) / per_second);
      const seconds = retry_after_seconds === 1 ? "1 second" : `${retry_after_seconds} seconds`;
      throw new ApiError("rate_limited", {
        next: `Wait ${seconds}, then send it again.`,
        retry_after_seconds,
      });
    }
    buckets.set(key, { left: left - 1, at_ms: now_ms });
    if (buckets.size <= BUCKETS_MAX) return;
    for (const [other, bucket] of buckets) if (fill(bucket, now_ms) >= burst) buckets.delete(other);
  };
}
