import { randomBytes } from "node:crypto";
import type { MiddlewareHandler } from "hono";

/** What becomes known of a request while it is answered, for its log line. */
export interface Trace {
  readonly request_id: string;
  operation: string | undefined;
  /** The code of its refusal. */
  code: string | undefined;
  /** Where a bug was met; never its message, which may hold anything. */
  failure: string[] | undefined;
  /** How many bytes were sent, known at the end. */
  sent: Promise<number> | undefined;
}

/** The variables that every step can see. */
export interface ServerEnv {
  Variables: { trace: Trace };
}

/** A step that every request goes through. */
export type Middleware = MiddlewareHandler<ServerEnv>;

/** Gives each request an id, which its answer and its log line carry. */
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

/** Where a bug was met: its kind and the places of its stack, without the message, which may hold anything. */
export function formatFailure(thrown: unknown): string[] {
  if (!(thrown instanceof Error)) return [typeof thrown];
  const frames = (thrown.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [thrown.name, ...frames.slice(0, 8).map((frame) => frame.trim())];
}
