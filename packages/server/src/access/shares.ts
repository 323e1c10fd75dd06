/** What one grant gets of the server (R57): a rate, a few requests in work, a few open streams, some watched ones. The owner has only the rate. */
import { type AnswerForm, type Operation, operations } from "@rungs/contract";
import type { StoredToken } from "@rungs/store";
import type { Limits } from "../settings/limits.ts";
import { createRateLimit, type Rate } from "./rate-limit.ts";
import { createTurns, type Turn } from "./turns.ts";

/** Waits until a request may begin, or throws `rate_limited`. */
export interface Shares {
  /** Before a bearer token, known by its digest, is looked up: one token has only a few look-ups at once, valid or not. */
  takeLookup(digest: string, signal: AbortSignal): Promise<Turn>;
  /** Before a request of a token that was found. */
  takeRequest(token: StoredToken, operation: Operation, signal: AbortSignal): Promise<Turn>;
}

const LOOKUPS = 2;

/** The answers that are open as long as their client reads. */
const STREAMS: readonly AnswerForm[] = ["ndjson", "bytes"];

/** The turn of a request that nobody waits for. */
const ALONE: Turn = { hasWaited: false, end: () => undefined };

/** Creates the shares of all grants. */
export function createShares({ rate, share }: Limits, now: () => number): Shares {
  const limitRate = createTokenLimit(rate, now);
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
    async takeRequest(token, { name, answer }, signal) {
      limitRate(token);
      const lane = findLane(token);
      if (lane === undefined) return ALONE;
      if (name === operations.watch.name) return takeWatch(lane, signal);
      return STREAMS.includes(answer) ? takeStream(lane, signal) : takeAnswer(lane, signal);
    },
  };
}

/** Creates a rate limit: one bucket for each grant, and one for each token of the owner. */
export function createTokenLimit(rate: Rate, now: () => number): (token: StoredToken) => void {
  const limit = createRateLimit(rate, now);
  return (token) => limit(findLane(token) ?? token.digest);
}

/** What the requests of a client share: its grants, or the connection that it writes to, so that further tokens give it nothing. The owner has no lane. */
export function findLane({ kind, client_id, grant_ids }: StoredToken): string | undefined {
  if (kind === "owner") return undefined;
  return kind === "writer" ? client_id : grant_ids.toSorted().join(" ");
}
