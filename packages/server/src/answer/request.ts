/** Reads what answering needs from a request. */
import { type AnswerForm, ApiError, type WireRequest } from "@rungs/contract";
import type { Context } from "hono";
import type { ServerEnv } from "../middleware/pipeline.ts";
import type { Settings } from "../settings/options.ts";

const TYPES: Partial<Record<AnswerForm, string>> = {
  json: "application/json",
  ndjson: "application/x-ndjson",
};

/** Throws when the caller does not accept the operation's media type (RFC 9110 §12.5.1). */
export function requireAcceptable(accept: string | undefined, form: AnswerForm): void {
  const type = TYPES[form];
  if (type === undefined || accept === undefined || accept.trim() === "") return;
  const isAccepted = accept.split(",").some((range) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    return !isRefused && [type, "application/*", "*/*"].includes(name);
  });
  if (!isAccepted) throw new ApiError("not_acceptable");
}

/** The URL of this server as the caller sees it; `checkHost` has validated the host. */
export function resolveBaseUrl({ req }: Context<ServerEnv>, { base_url }: Settings): string {
  return base_url ?? new URL(req.url).origin;
}

/** The parts of a request that the contract parses. */
export function readWire({ req }: Context<ServerEnv>): WireRequest {
  return {
    path: req.param(),
    query: new URL(req.url).searchParams,
    header: (name) => req.header(name),
  };
}

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
