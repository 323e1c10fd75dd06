import { ApiError, PDPP_VERSIONS } from "@rungs/contract";
import { LOOPBACK } from "../access/audience.ts";
import type { Limits } from "../settings/limits.ts";
import type { Middleware } from "./trace.ts";

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
