/** The middleware of every request: its trace and log line, then the checks of version, host, size, encoding and method. */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { ApiError, type Operation, PDPP_VERSIONS, type PdppVersion } from "@rungs/contract";
import type { MiddlewareHandler } from "hono";
import { LOOPBACK } from "../access/audience.ts";
import type { Limits } from "../settings/limits.ts";
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

/** The request that the running code serves. */
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

/** Uses the requested protocol version, by default the specification's, and names it in every response. */
export function negotiateVersion(): Middleware {
  return async (context, next) => {
    const requested = context.req.header("PDPP-Version");
    const supported = PDPP_VERSIONS.find((version) => version === (requested ?? PDPP_VERSIONS[0]));
    context.header("PDPP-Version", supported ?? PDPP_VERSIONS[0]);
    if (!supported) {
      const supported_versions = [...PDPP_VERSIONS];
      throw new ApiError("unsupported_version", { param: "PDPP-Version", supported_versions });
    }
    context.set("version", supported);
    await next();
  };
}

/** Refuses a request whose URL and headers together are too large. */
export function checkSize({ header_bytes: max_bytes }: Limits): Middleware {
  return async (context, next) => {
    let size = context.req.url.length;
    context.req.raw.headers.forEach((value, name) => {
      size += name.length + value.length;
    });
    if (size > max_bytes) throw new ApiError("header_too_large", { max_bytes });
    await next();
  };
}

/** Refuses a URL that is not percent-encoded UTF-8 instead of guessing its meaning. */
export function checkEncoding(): Middleware {
  return async (context, next) => {
    const { pathname, search } = new URL(context.req.url);
    if (!isEncoded(pathname)) refuse("path");
    if (!isEncoded(search)) refuse("query");
    await next();
  };
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function refuse(part: string): never {
  const message = `The ${part} of the address is not percent-encoded UTF-8.`;
  throw new ApiError("invalid_request", { param: part, message });
}

/**
 * Refuses requests for another host and requests from pages of another origin. A web page can make any name resolve to
 * this machine (DNS rebinding), but it cannot make the browser send a false name.
 */
export function checkHost(hosts: readonly string[]): Middleware {
  const allowed = new Set([...LOOPBACK, ...hosts.map(bracket)].map((host) => host.toLowerCase()));
  const isAllowed = (url: URL | undefined): boolean => url !== undefined && allowed.has(url.hostname);

  return async (context, next) => {
    const url = new URL(context.req.url);
    const header = context.req.header("Host");
    const named = header === undefined ? url : parseUrl(`http://${header}`);
    if (!isAllowed(url) || !isAllowed(named)) throw new ApiError("host_not_allowed");
    const origin = context.req.header("Origin");
    if (origin !== undefined && parseUrl(origin)?.host !== named?.host) {
      throw new ApiError("origin_not_allowed");
    }
    if (isEmbedded((name) => context.req.header(name))) throw new ApiError("origin_not_allowed");
    await next();
  };
}

/**
 * Whether a page of another origin embeds this as a subresource, which sends no `Origin` (Fetch Metadata). It may link
 * here; but response times, or where a frame ends up, would leak what is stored. Another port of this machine is
 * same-site, so cookies are sent along.
 */
function isEmbedded(header: (name: string) => string | undefined): boolean {
  const site = header("Sec-Fetch-Site");
  return (site === "cross-site" || site === "same-site") && header("Sec-Fetch-Dest") !== "document";
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** URLs write IPv6 addresses in brackets. */
function bracket(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** Hono serves `HEAD` through `GET` routes; here only operations that return bytes support it. */
export function withoutHead(operation: Operation, group: readonly Operation[]): Middleware {
  return async (context, next) => {
    if (context.req.method === "HEAD" && operation.answer !== "bytes") throw createMethodError(group);
    context.get("trace").operation = operation.name;
    await next();
  };
}

/** Refuses the other methods of an address that has operations. */
export function refuseMethod(group: readonly Operation[]): () => never {
  return () => {
    throw createMethodError(group);
  };
}

function createMethodError(group: readonly Operation[]): ApiError {
  const allow = group.flatMap(({ method, answer }) => (answer === "bytes" ? [method, "HEAD"] : [method]));
  return new ApiError("method_not_allowed", { allow: allow.join(", ") });
}
