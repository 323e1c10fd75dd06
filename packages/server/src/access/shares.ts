/** What one grant gets of the server (R57): a rate, a few requests in work, a few open streams, some watched ones. The owner has only the rate. */
import { type AnswerForm, ApiError, type Operation, operations } from "@rungs/contract";
import type { StoredToken } from "@rungs/store";
import type { Limits } from "../settings/limits.ts";

/** Waits until a request may begin, or throws `rate_limited`. */
export interface Shares {
  /** Before a bearer token, known by its digest, is looked up: one token has only a few look-ups at once, valid or not. */
  takeLookup(digest: string, signal: AbortSignal): Promise<Turn>;
  /** Before a request of a token that was found; `quota` is the owner's, in requests a minute. */
  takeRequest(token: StoredToken, operation: Operation, signal: AbortSignal, quota?: number): Promise<Turn>;
}

const LOOKUPS = 2;

/** The answers that are open as long as their client reads. */
const STREAMS: readonly AnswerForm[] = ["ndjson", "bytes"];

/** The turn of a request that nobody waits for. */
const ALONE: Turn = { hasWaited: false, end: () => undefined };

/** Creates the shares of all grants. */
export function createShares({ rate, share }: Limits, now: () => number): Shares {
  const limitRate = createTokenLimit(rate, now);
  const limitOwner = createOwnerLimit(now);
  const takeAnswer = createTurns({ at_once: share.requests, waiting: share.waiting });
  const takeStream = createTurns({ at_once: share.streams, waiting: share.waiting });
  // A watch stays open for hours: to wait for one would be to wait for ever.
  const takeWatch = createTurns({ at_once: share.watches, waiting: 0 });
  const mostWaiting = share.requests + share.streams + 2 * share.waiting;
  const takeLookup = createTurns({ at_once: LOOKUPS, waiting: mostWaiting });
  return {
    async takeLookup(digest, signal) {
      const turn = await takeLookup(digest, signal);
      // SQLite answers at once: without a turn of the event loop between them, a flood of one token would be looked up before any other request.
      return { ...turn, end: () => setImmediate(turn.end) };
    },
    async takeRequest(token, { name, answer }, signal, quota) {
      limitRate(token);
      if (quota !== undefined) limitOwner(token.owner_id, quota);
      const lane = findLane(token);
      if (lane === undefined) return ALONE;
      if (name === operations.watch.name) return takeWatch(lane, signal);
      return STREAMS.includes(answer) ? takeStream(lane, signal) : takeAnswer(lane, signal);
    },
  };
}

const MINUTE_MS = 60_000;

/** Creates the limit of all requests of an owner together, by calendar minutes, so that what is left needs no history. */
function createOwnerLimit(now: () => number): (owner_id: string, quota: number) => void {
  let minute = 0;
  let counts = new Map<string, number>();
  return (owner_id, quota) => {
    const now_ms = now();
    if (Math.floor(now_ms / MINUTE_MS) !== minute) counts = new Map();
    minute = Math.floor(now_ms / MINUTE_MS);
    const count = (counts.get(owner_id) ?? 0) + 1;
    if (count > quota)
      throw new ApiError("request_quota_exceeded", {
        message: `All ${quota} requests of this minute are used up.`,
        limit: quota,
        retry_after_seconds: Math.ceil(((minute + 1) * MINUTE_MS - now_ms) / 1000),
      });
    counts.set(owner_id, count);
  };
}

/** Creates a rate limit: one bucket for each grant, and one for each token of the owner. */
export function createTokenLimit(rate: Rate, now: () => number): (token: StoredToken) => void {
  const limit = createRateLimit(rate, now);
  return (token) => limit(findLane(token) ?? token.digest);
}

/** What the requests of a client share: its grants, or the connection that it writes to, so that further tokens give it nothing. The owner has no lane. */
export function findLane({ kind, owner_id, client_id, grant_ids }: StoredToken): string | undefined {
  if (kind === "owner") return undefined;
  return kind === "writer" ? `${client_id} of ${owner_id}` : grant_ids.toSorted().join(" ");
}

/** How many requests are allowed: `burst` at once, then `per_second`. */
interface Rate {
  readonly burst: number;
  readonly per_second: number;
}

/** Takes one request from the bucket of `key`, or throws `rate_limited`. */
type RateLimit = (key: string) => void;

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

/** How many requests with the same key may be in work at once, and how many more may wait. */
interface TurnLimits {
  readonly at_once: number;
  readonly waiting: number;
}

/** The turn of one request. */
export interface Turn {
  /** Whether it had to wait for others. */
  readonly hasWaited: boolean;
  /** Ends the turn; further calls do nothing. */
  end(): void;
}

/** Waits for a turn. A caller that goes loses its place; one that finds no place gets `rate_limited`. */
type TakeTurn = (key: string, signal: AbortSignal) => Promise<Turn>;

interface Line {
  running: number;
  /** Starts each request that waits, in order. */
  readonly waiting: Set<() => void>;
}

/** Creates turns for each key; those of different keys do not affect each other. */
export function createTurns({ at_once, waiting }: TurnLimits): TakeTurn {
  const lines = new Map<string, Line>();
  // One for all: under a flood, an error with its stack for each request would cost more than the refusal.
  const full = createFullError(at_once);

  function pass(key: string, line: Line): void {
    const [next] = line.waiting;
    if (next) {
      line.waiting.delete(next);
      next();
    } else {
      line.running -= 1;
      if (line.running === 0) lines.delete(key);
    }
  }

  return async (key, signal) => {
    signal.throwIfAborted();
    const line = lines.get(key) ?? { running: 0, waiting: new Set() };
    lines.set(key, line);
    const hasWaited = line.running >= at_once;
    if (!hasWaited) line.running += 1;
    else if (line.waiting.size < waiting) await waitInLine(line.waiting, signal);
    else throw full;
    let isOver = false;
    return {
      hasWaited,
      end() {
        if (!isOver) pass(key, line);
        isOver = true;
      },
    };
  };
}

function waitInLine(line: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = () => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = () => {
      line.delete(start);
      reject(signal.reason);
    };
    line.add(start);
    signal.addEventListener("abort", leave, { once: true });
  });
}

function createFullError(at_once: number): ApiError {
  return new ApiError("rate_limited", {
    message: `There are ${at_once} requests of this kind in work already, and too many that wait for them.`,
    next: "Wait 1 second, then send it again, and fewer at a time.",
    retry_after_seconds: 1,
  });
}
