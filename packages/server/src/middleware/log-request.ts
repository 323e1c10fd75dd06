import type { Middleware } from "./trace.ts";

/** One request, as the log tells it: never content, query text or a token. */
export interface LogEntry {
  readonly time: string;
  readonly request_id: string;
  readonly operation: string | null;
  readonly method: string;
  readonly status: number;
  readonly code?: string;
  readonly duration_ms: number;
  readonly bytes: number;
  /** Where in the program an unexpected failure happened. */
  readonly failure?: readonly string[];
}

/** Takes log entries. */
export type Log = (entry: LogEntry) => void;

/** Logs each request when all of its answer is sent. */
export function logRequest(log: Log, now: () => number): Middleware {
  return async (context, next) => {
    const started = performance.now();
    await next();
    const trace = context.get("trace");
    const { method } = context.req;
    const { status, headers } = context.res;
    const length = method === "HEAD" ? 0 : Number(headers.get("Content-Length") ?? 0);
    const sent = trace.sent ?? Promise.resolve(length);
    void sent.then((bytes) => {
      const duration_ms = Math.round((performance.now() - started) * 1000) / 1000;
      const { request_id, operation = null, code, failure } = trace;
      log({
        time: new Date(now()).toISOString(),
        request_id,
        operation,
        method,
        status,
        ...(code === undefined ? {} : { code }),
        duration_ms,
        bytes,
        ...(failure === undefined ? {} : { failure }),
      });
    });
  };
}
