import { ApiError } from "@rungs/contract";

/** How many requests with the same key may be in work at once, and how many more may wait. */
export interface TurnLimits {
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
export type TakeTurn = (key: string, signal: AbortSignal) => Promise<Turn>;

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
