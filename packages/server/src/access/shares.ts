/** What one grant gets of all servers of a database (R57): a rate, and a few in-flight requests, open streams and watches. The owner has only the rate. */
import { type AnswerForm, ApiError, type Operation, operations } from "@rungs/contract";
import type { StoredToken } from "@rungs/store";
import { PROGRAM_ID } from "../owner/owner-context.ts";
import type { Limits } from "../settings/limits.ts";
import { createTurns, type SharedContext, SKEW_MS, type Turn } from "./turns.ts";

/** Waits until a request may begin, or throws `rate_limited`. */
export interface Shares {
  /** Before the lookup of a bearer token, by its digest: a token gets only a few concurrent lookups, valid or not. */
  takeLookup(digest: string, signal: AbortSignal): Promise<Turn>;
  /** Before a request under a known token; `quota` is the owner's, in requests a minute. */
  takeRequest(token: StoredToken, operation: Operation, signal: AbortSignal, quota?: number): Promise<Turn>;
}

const LOOKUPS = 2;

/** The answers that stay open while their client reads. */
const STREAMS: readonly AnswerForm[] = ["ndjson", "bytes"];

/** The turn of a request that nobody waits for. */
const ALONE: Turn = { hasWaited: false, end: () => undefined };

/** How long a server keeps turns of a grant that sends several requests at a time. */
const KEEPS_MS = 1_000;

/** Creates the shares of all grants. */
export function createShares({ rate, share }: Limits, context: SharedContext): Shares {
  const limitRate = createTokenLimit("rest", rate, context);
  const limitOwner = createQuotaLimit(context);
  const { waiting } = share;
  const takeAnswer = createTurns(
    { at_once: share.requests, waiting },
    // Most clients send one request at a time, which then needs no shared turn.
    { ...context, name: "requests", own: 1, keeps_ms: KEEPS_MS },
  );
  const takeStream = createTurns(
    { at_once: share.streams, waiting },
    { ...context, name: "streams", own: 0, keeps_ms: 0 },
  );
  // A watch stays open for hours: waiting for one could take forever.
  const takeWatch = createTurns(
    { at_once: share.watches, waiting: 0 },
    { ...context, name: "watches", own: 0, keeps_ms: 0 },
  );
  const mostWaiting = share.requests + share.streams + 2 * waiting;
  // Local to each server: they protect its event loop from lookups, even of tokens that do not exist.
  const takeLookup = createTurns({ at_once: LOOKUPS, waiting: mostWaiting });
  return {
    async takeLookup(digest, signal) {
      const turn = await takeLookup(digest, signal);
      // SQLite answers at once: without a turn of the event loop between them, a flood of one token would be looked up before any other request.
      return { ...turn, end: () => setImmediate(turn.end) };
    },
    async takeRequest(token, { name, answer }, signal, quota) {
      await limitRate(token);
      const { owner_id } = token;
      if (quota !== undefined) await limitOwner(owner_id, quota);
      const lane = findLane(token);
      if (lane === undefined) return ALONE;
      if (name === operations.watch.name) return takeWatch(lane, signal, owner_id);
      return STREAMS.includes(answer)
        ? takeStream(lane, signal, owner_id)
        : takeAnswer(lane, signal, owner_id);
    },
  };
}

/** Creates a rate limit: one bucket for each grant, and one for each token of the owner. */
export function createTokenLimit(
  name: string,
  rate: Rate,
  context: SharedContext,
): (token: StoredToken) => Promise<void> {
  const limit = createRateLimit(name, rate, context);
  return (token) => limit(findLane(token) ?? token.digest, token.owner_id);
}

/**
 * The key that all requests of a client share: its grants, or the connection that it writes to, so that further tokens
 * gain it nothing. The owner has no lane.
 */
export function findLane({ kind, owner_id, client_id, grant_ids }: StoredToken): string | undefined {
  if (kind === "owner") return undefined;
  return kind === "writer" ? `${client_id} of ${owner_id}` : grant_ids.toSorted().join(" ");
}

/** Limits that all servers of a database count together (R57). */

/** Takes one request from the limit of a key, or throws. Requests of an owner's tokens count in the owner's rows, all others in the program's. */
export type Limit = (key: string, owner_id?: string) => Promise<void>;

/** How many requests are allowed: `burst` at once, then `per_second`. */
export interface Rate {
  readonly burst: number;
  readonly per_second: number;
}

/**
 * A server leases this fraction of a limit at a time, so that it rarely queries the database. What it holds is already
 * counted; only a bucket that refilled meanwhile lets `burst / 16` more requests through per server. Small limits are
 * exact.
 */
const PART = 16;
/** Above this many keys, those not used for a while are forgotten. */
const KEYS_MAX = 10_000;
/** Creates a rate limit with one token bucket for each key. */
export function createRateLimit(name: string, { burst, per_second }: Rate, context: SharedContext): Limit {
  const refill_ms = (1000 * burst) / per_second;
  return createSharedLimit<{ readonly left: number; readonly at_ms: number }>(`${name} rate`, context, {
    part: Math.max(1, Math.floor(burst / PART)),
    idle_ms: refill_ms,
    charge(bucket = { left: burst, at_ms: 0 }, wanted, now_ms) {
      const at_ms = bucket.at_ms - now_ms > SKEW_MS ? now_ms : Math.max(now_ms, bucket.at_ms);
      const left = Math.min(burst, bucket.left + (Math.max(0, at_ms - bucket.at_ms) * per_second) / 1000);
      const granted = Math.min(wanted, Math.floor(left));
      return {
        value: { left: left - granted, at_ms },
        granted,
        kept_ms: 2 * refill_ms,
        wait_ms: (1000 * (1 - left)) / per_second,
      };
    },
    refuse(wait_ms) {
      const retry_after_seconds = Math.max(1, Math.ceil(wait_ms / 1000));
      const seconds = retry_after_seconds === 1 ? "1 second" : `${retry_after_seconds} seconds`;
      return new ApiError("rate_limited", {
        next: `Wait ${seconds}, then send it again.`,
        retry_after_seconds,
      });
    },
  });
}

const MINUTE_MS = 60_000;

/** Creates the limit of all requests of an owner together, by calendar minutes, so that what is left needs no history. */
export function createQuotaLimit(context: SharedContext): (owner_id: string, quota: number) => Promise<void> {
  const limitsOf = new Map<number, Limit>();
  const create = (quota: number) =>
    createSharedLimit<{ readonly minute: number; readonly count: number }>("quota", context, {
      part: Math.max(1, Math.floor(quota / PART)),
      idle_ms: MINUTE_MS,
      charge(counted, wanted, now_ms) {
        const own = Math.floor(now_ms / MINUTE_MS);
        // Another server has begun this minute: our clock is slightly behind.
        const isAhead = counted && counted.minute > own && counted.minute * MINUTE_MS - now_ms <= SKEW_MS;
        const minute = isAhead ? counted.minute : own;
        const count = counted?.minute === minute ? counted.count : 0;
        const granted = Math.max(0, Math.min(wanted, quota - count));
        const ends_ms = (minute + 1) * MINUTE_MS;
        return {
          value: { minute, count: count + granted },
          granted,
          kept_ms: MINUTE_MS,
          until_ms: ends_ms,
          wait_ms: ends_ms - now_ms,
        };
      },
      refuse: (wait_ms) =>
        new ApiError("request_quota_exceeded", {
          message: `All ${quota} requests of this minute are used up.`,
          limit: quota,
          retry_after_seconds: Math.ceil(wait_ms / 1000),
        }),
    });
  return (owner_id, quota) => {
    const limit = limitsOf.get(quota) ?? create(quota);
    limitsOf.set(quota, limit);
    return limit("", owner_id);
  };
}

/** What a server got of a limit. */
interface Charge<Value> {
  readonly value: Value;
  readonly granted: number;
  readonly kept_ms: number;
  /** When the granted requests expire; never if absent. */
  readonly until_ms?: number | undefined;
  /** How long to wait when nothing was granted. */
  readonly wait_ms: number;
}

/** The rule of a limit. */
interface Rule<Value> {
  /** How many requests a server takes at a time. */
  readonly part: number;
  /** After how long without a request a key counts as new. */
  readonly idle_ms: number;
  /** Takes up to `wanted` from the shared value. */
  charge(value: Value | undefined, wanted: number, now_ms: number): Charge<Value>;
  refuse(wait_ms: number): ApiError;
}

/** What a server holds of the limit of one key. */
interface Held {
  left: number;
  until_ms: number;
  used_ms: number;
  /** Set while the limit is known to be used up: a flood is refused without asking the database again. */
  refused?: { readonly at_ms: number; readonly wait_ms: number } | undefined;
  asking?: Promise<void> | undefined;
}

function createSharedLimit<Value>(name: string, { store, now }: SharedContext, rule: Rule<Value>): Limit {
  const { part, idle_ms, charge, refuse } = rule;
  const held = new Map<string, Held>();
  let forgetAbove = KEYS_MAX;

  async function ask(mine: Held, owner_id: string, key: string): Promise<void> {
    const got = await store.changeShared(owner_id, `${name} ${key}`, (value) => {
      const result = charge(value as Value | undefined, part, now());
      return { ...result, result };
    });
    mine.left = got.granted;
    mine.until_ms = got.until_ms ?? Number.POSITIVE_INFINITY;
    mine.refused = got.granted > 0 ? undefined : { at_ms: now(), wait_ms: got.wait_ms };
  }

  function find(id: string): Held {
    const known = held.get(id) ?? { left: 0, until_ms: 0, used_ms: 0 };
    known.used_ms = now();
    held.set(id, known);
    if (held.size > forgetAbove) {
      for (const [other, { used_ms, asking }] of held)
        if (!asking && now() - used_ms >= idle_ms) held.delete(other);
      // The next sweep runs when the number has doubled, not for each request.
      forgetAbove = Math.max(KEYS_MAX, 2 * held.size);
    }
    return known;
  }

  return async (key, owner_id = PROGRAM_ID) => {
    const mine = find(`${owner_id} ${key}`);
    for (;;) {
      if (mine.left > 0 && now() < mine.until_ms) {
        mine.left -= 1;
        return;
      }
      // If the clock went back, ask again: the shared value then counts from the current time.
      if (mine.refused && mine.refused.at_ms > now()) mine.refused = undefined;
      const wait_ms = mine.refused ? mine.refused.at_ms + mine.refused.wait_ms - now() : 0;
      if (wait_ms > 0) throw refuse(wait_ms);
      mine.asking ??= ask(mine, owner_id, key).finally(() => {
        mine.asking = undefined;
      });
      await mine.asking;
    }
  };
}
