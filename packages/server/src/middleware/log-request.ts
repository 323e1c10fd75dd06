import type { Log } from "../settings/options.ts";
import type { Middleware } from "./trace.ts";

/** Logs each request once its whole response is sent. */
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
