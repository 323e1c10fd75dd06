import { ApiError } from "@rungs/contract";

/** What is known of the caller of a request. */
export interface WatchedCaller {
  /** Aborts when the caller hangs up, or the answer is late; the reason is a coded error. */
  readonly signal: AbortSignal;
  /** Fails as soon as the signal aborts, so that no caller waits for work that does not end. */
  withSignal<T>(work: Promise<T>): Promise<T>;
  /** Stops the clock: the answer is there, or has failed. */
  stopClock(): void;
}

/** Watches the caller of a request, who gets an answer within `limit_ms`. */
export function watchCaller(request: Request, limit_ms: number): WatchedCaller {
  const caller = new AbortController();
  const hangUp = () => caller.abort(new ApiError("read_cancelled"));
  const clock = setTimeout(() => caller.abort(createLateError(limit_ms)), limit_ms);
  if (request.signal.aborted) hangUp();
  else request.signal.addEventListener("abort", hangUp, { once: true });
  const { signal } = caller;
  return {
    signal,
    async withSignal(work) {
      const aborted = Promise.withResolvers<never>();
      const abort = () => aborted.reject(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
      try {
        return await Promise.race([work, aborted.promise]);
      } finally {
        signal.removeEventListener("abort", abort);
      }
    },
    stopClock: () => clearTimeout(clock),
  };
}

function createLateError(limit_ms: number): ApiError {
  return new ApiError("database_unavailable", {
    message: `The answer took longer than ${limit_ms / 1000} seconds.`,
  });
}
