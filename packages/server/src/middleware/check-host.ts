import { ApiError } from "@rungs/contract";
import { LOOPBACK } from "../access/audience.ts";
import type { Middleware } from "./trace.ts";

/**
 * Refuses requests for another host and calls from pages of another origin. A web page can make any name lead to this
 * machine (DNS rebinding), but it cannot make the browser lie about the name.
 */
export function checkHost(hosts: readonly string[]): Middleware {
  const allowed = new Set([...LOOPBACK, ...hosts.map(bracket)].map((host) => host.toLowerCase()));
  const isAllowed = (url: URL | undefined): boolean => url !== undefined && allowed.has(url.hostname);

  return async (context, next) => {
    const asked = new URL(context.req.url);
    const header = context.req.header("Host");
    const named = header === undefined ? asked : parseUrl(`http://${header}`);
    if (!isAllowed(asked) || !isAllowed(named)) throw new ApiError("host_not_allowed");
    const origin = context.req.header("Origin");
    if (origin !== undefined && parseUrl(origin)?.host !== named?.host) {
      throw new ApiError("origin_not_allowed");
    }
    if (isEmbedded((name) => context.req.header(name))) throw new ApiError("origin_not_allowed");
    await next();
  };
}

/**
 * Whether a page of another origin loads this as a part of itself, which carries no `Origin` (Fetch Metadata). It may lead
 * here; but how long an answer takes, or where a frame ends up, would tell it what is here. Another port of this
 * machine is the same site, so that cookies go along.
 */
function isEmbedded(header: (name: string) => string | undefined): boolean {
  const site = header("Sec-Fetch-Site");
  return (site === "cross-site" || site === "same-site") && header("Sec-Fetch-Dest") !== "document";
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** An IPv6 address stands in brackets in a URL. */
function bracket(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
