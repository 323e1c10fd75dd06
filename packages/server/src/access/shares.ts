/** What one grant gets of all servers of a database (R57): a rate, and a few in-flight requests, open streams and watches. The owner has only the rate. */
import { type AnswerForm, type Operation, operations } from "@rungs/contract";
import type { StoredToken } from "@rungs/store";
import type { Limits } from "../settings/limits.ts";
import { createQuotaLimit, createRateLimit, type Rate, type SharedContext } from "./shared-limit.ts";
import { createTurns, type Turn } from "./turns.ts";

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
  // Local to each server: they protect its event loop from look-ups, even of tokens that do not exist.
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

/** What the requests of a client share: its grants, or the connection that it writes to, so that it gains nothing from further tokens. The owner has no lane. */
export function findLane({ kind, owner_id, client_id, grant_ids }: StoredToken): string | undefined {
  if (kind === "owner") return undefined;
  return kind === "writer" ? `${client_id} of ${owner_id}` : grant_ids.toSorted().join(" ");
}
