import { randomBytes } from "node:crypto";
import type { PdppVersion } from "@rungs/contract";
import type { MiddlewareHandler } from "hono";

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
}

/** The variables that every middleware can read. */
export interface ServerEnv {
  Variables: {
    trace: Trace;
    /** The negotiated version; unset when the request names an unsupported one. */
    version: PdppVersion | undefined;
  };
}

/** Hono middleware of this server. */
export type Middleware = MiddlewareHandler<ServerEnv>;

/** Gives each request an id, which its response and its log line carry. */
export function traceRequest(): Middleware {
  return async (context, next) => {
    const request_id = `req_${randomBytes(12).toString("base64url")}`;
    context.set("trace", {
      request_id,
      operation: undefined,
      code: undefined,
      failure: undefined,
      sent: undefined,
    });
    context.header("Request-Id", request_id);
    context.header("X-Content-Type-Options", "nosniff");
    context.header("Cache-Control", "private, no-store");
    await next();
  };
}

/** Where an unexpected error occurred: its name and stack frames, without the message, which may hold anything. */
export function formatFailure(thrown: unknown): string[] {
  if (!(thrown instanceof Error)) return [typeof thrown];
  const frames = (thrown.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [thrown.name, ...frames.slice(0, 8).map((frame) => frame.trim())];
}
