/** Turns: a few requests with the same key run at once, some more queue, and the rest are refused. */
import { randomUUID } from "node:crypto";
import { ApiError } from "@rungs/contract";
import type { Store } from "@rungs/store";
import { PROGRAM_ID } from "../owner/owner-context.ts";

/** How many requests with the same key may run at once, and how many more may wait. */
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

/**
 * Waits for a turn. A caller that disconnects loses its place; one that finds the queue full gets `rate_limited`. Turns
 * that servers share are rows of an owner.
 */
export type TakeTurn = (key: string, signal: AbortSignal, owner_id?: string) => Promise<Turn>;

/** The shared counters, and the clock. */
export interface SharedContext {
  readonly store: Pick<Store, "changeShared">;
  readonly now: () => number;
}

/** How far the clocks of servers may be apart. A time further ahead means that this server's clock went back. */
export const SKEW_MS = 5_000;

/** How the servers of a database share turns. */
interface Sharing extends SharedContext {
  readonly name: string;
  /** Each server gives this many turns of a key by itself; servers share the others, at most `at_once - own`. */
  readonly own: number;
  /** How long a server keeps turns that it no longer needs: clients often return immediately. */
  readonly keeps_ms: number;
}

/** How long a killed server still holds its turns. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
/** How often a server asks again while requests wait for turns that other servers hold. */
const ASK_AGAIN_MS = 250;

/** The shared turns of a key that each server holds, and until when unless it renews them. */
type Leases = Readonly<Record<string, readonly [count: number, until_ms: number]>>;

interface Line {
  readonly key: string;
  readonly owner_id: string;
  running: number;
  /** How many may run: the server's own and those that it leased. */
  room: number;
  leased: number;
  /** Requests that wait until the database has answered. */
  arriving: number;
  /** Starts each request that waits, in order. */
  readonly waiting: Set<() => void>;
  /** Until when the other servers are known to hold the rest. */
  full_until_ms: number;
  leasing?: Promise<void> | undefined;
  /** Schedules the next look at the queue. */
  later?: { readonly timer: NodeJS.Timeout; readonly at_ms: number } | undefined;
}

/** Creates turns for each key; keys do not affect each other. Without `sharing`, turns are local to this server. */
export function createTurns({ at_once, waiting }: TurnLimits, sharing?: Sharing): TakeTurn {
  const own = sharing?.own ?? at_once;
  const lines = new Map<string, Line>();
  const lease = sharing && createLeasing(sharing, at_once);
  // One error for all: under a flood, creating one with its stack for each request would cost more than refusing it.
  const full = createFullError(at_once);

  function open(key: string, owner_id: string): Line {
    const known = lines.get(key);
    if (known) return known;
    const none = { running: 0, leased: 0, arriving: 0, full_until_ms: 0 };
    const line: Line = { key, owner_id, room: own, waiting: new Set(), ...none };
    lines.set(key, line);
    return line;
  }

  /** Leases what the queue needs now, or returns what it does not; concurrent callers share one request. */
  function settle(line: Line): Promise<void> {
    if (!lease) return Promise.resolve();
    line.leasing ??= lease(line).finally(() => {
      line.leasing = undefined;
      for (const start of line.waiting) {
        if (line.running >= line.room) break;
        line.waiting.delete(start);
        line.running += 1;
        start();
      }
      settleLater(line);
    });
    return line.leasing;
  }

  /** Retries for queued requests, renews a lease, returns turns that were idle for a while, or forgets the queue. */
  function settleLater(line: Line): void {
    if (line.leasing) return;
    const isWaiting = line.waiting.size > 0 && line.room < at_once;
    const demand = line.running + line.arriving + line.waiting.size;
    const isIdle = line.leased > Math.max(0, demand - own);
    const isShared = sharing && (isWaiting || line.leased > 0);
    const wait_ms = isWaiting ? ASK_AGAIN_MS : isIdle ? (sharing?.keeps_ms ?? 0) : RENEW_MS;
    const at_ms = performance.now() + wait_ms;
    if (isShared && line.later && line.later.at_ms <= at_ms) return;
    clearTimeout(line.later?.timer);
    line.later = undefined;
    if (isShared) {
      const work = () => {
        line.later = undefined;
        // If the database does not answer, the lease expires by itself.
        void settle(line).catch(() => undefined);
      };
      line.later = { at_ms, timer: setTimeout(work, wait_ms).unref() };
    } else if (demand === 0) lines.delete(line.key);
  }

  function end(line: Line): void {
    const [next] = line.waiting;
    if (next && line.running <= line.room) {
      line.waiting.delete(next);
      next();
    } else line.running -= 1;
    settleLater(line);
  }

  /** Starts a request, or queues it and returns its wait. */
  async function begin(line: Line, signal: AbortSignal): Promise<{ readonly wait?: Promise<void> }> {
    line.arriving += 1;
    try {
      while (line.running >= line.room && line.room < at_once && performance.now() >= line.full_until_ms)
        await settle(line);
      signal.throwIfAborted();
      if (line.running >= line.room && line.waiting.size >= waiting) throw full;
      if (line.running >= line.room) return { wait: waitInLine(line.waiting, signal) };
      line.running += 1;
      return {};
    } finally {
      line.arriving -= 1;
      settleLater(line);
    }
  }

  return async (key, signal, owner_id = PROGRAM_ID) => {
    signal.throwIfAborted();
    const line = open(key, owner_id);
    if (line.running + line.arriving + line.waiting.size >= at_once + waiting) throw full;
    const { wait } = await begin(line, signal);
    await wait;
    let isOver = false;
    return {
      hasWaited: wait !== undefined,
      end() {
        if (!isOver) end(line);
        isOver = true;
      },
    };
  };
}

/** Creates the function that leases as many shared turns as a queue needs, or as the other servers leave. */
function createLeasing({ store, now, name, own }: Sharing, at_once: number) {
  const server = randomUUID();
  return async (line: Line): Promise<void> => {
    // Requests that arrive in the same turn of the event loop count too.
    await Promise.resolve();
    const needed = line.running + line.arriving + line.waiting.size - own;
    const wanted = Math.max(0, Math.min(at_once - own, needed));
    // Turns on their way back are not used meanwhile.
    line.room = own + Math.min(line.leased, wanted);
    line.leased = await store.changeShared(line.owner_id, `${name} ${line.key}`, (value) => {
      const now_ms = now();
      const others = Object.entries((value ?? {}) as Leases).filter(
        // A lease that ends later than any lease can dates from before the clock went back.
        ([holder, [, until_ms]]) =>
          holder !== server && until_ms > now_ms && until_ms <= now_ms + LEASE_MS + SKEW_MS,
      );
      const taken = others.reduce((sum, [, [count]]) => sum + count, 0);
      const result = Math.max(0, Math.min(wanted, at_once - own - taken));
      const leases: Leases = {
        ...Object.fromEntries(others),
        ...(result > 0 ? { [server]: [result, now_ms + LEASE_MS] } : {}),
      };
      return { value: leases, kept_ms: LEASE_MS, result };
    });
    line.room = own + line.leased;
    if (line.leased < wanted) line.full_until_ms = performance.now() + ASK_AGAIN_MS;
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
