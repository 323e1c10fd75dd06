import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { PdppVersion } from "@rungs/contract";
import type { MiddlewareHandler } from "hono";
import type { Log } from "../settings/options.ts";

/** Facts about a request, collected for its log line while it is answered. */
export interface Trace {
  readonly request_id: string;
  operation: string | undefined;
  /** The code of the error response. */
  code: string | undefined;
  /** Where an unexpected error occurred; never its message, which may hold anything. */
  failure: string[] | undefined;
  /** The bytes sent, known at the end. */
  sent: Promise<number> | undefined;
  /** The caller's place in a trace (W3C Trace Context). */
  readonly parent?: string | undefined;
}

/** Marks a request of this process whose proof was checked before: a symbol, which no request from outside can carry. */
export const PROVEN_KEY = Symbol("proven key");

/** The variables that every middleware can read. */
export interface ServerEnv {
  Bindings: {
    /** The thumbprint of the key that the caller proved. */
    [PROVEN_KEY]?: string | undefined;
  };
  Variables: {
    trace: Trace;
    /** The negotiated version; unset when the request names an unsupported one. */
    version: PdppVersion | undefined;
  };
}

/** Hono middleware of this server. */
export type Middleware = MiddlewareHandler<ServerEnv>;

/** Version 00 of https://www.w3.org/TR/trace-context/, except ids that are all zeros. */
const TRACE_PARENT = /^00-(?!0+-)[0-9a-f]{32}-(?!0+-)[0-9a-f]{16}-[0-9a-f]{2}$/;

const traces = new AsyncLocalStorage<Trace>();

/** The request that the running code works for. */
export function findTrace(): Trace | undefined {
  return traces.getStore();
}

/** Gives each request an id, which its response and its log line carry. */
export function traceRequest(): Middleware {
  return async (context, next) => {
    const request_id = `req_${randomBytes(12).toString("base64url")}`;
    const trace: Trace = {
      request_id,
      operation: undefined,
      code: undefined,
      failure: undefined,
      sent: undefined,
      parent: TRACE_PARENT.exec(context.req.header("traceparent") ?? "")?.[0],
    };
    context.set("trace", trace);
    context.header("Request-Id", request_id);
    context.header("X-Content-Type-Options", "nosniff");
    context.header("Cache-Control", "private, no-store");
    await traces.run(trace, next);
  };
}

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
      const { request_id, operation = null, code, failure, parent } = trace;
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
        ...(parent === undefined ? {} : { parent }),
      });
    });
  };
}

/** Where an unexpected error occurred: its name and stack frames, without the message, which may hold anything. */
export function formatFailure(thrown: unknown): string[] {
  if (!(thrown instanceof Error)) return [typeof thrown];
  const frames = (thrown.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [thrown.name, ...frames.slice(0, 8).map((frame) => frame.trim())];
}
