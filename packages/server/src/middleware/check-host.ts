import { ApiError } from "@rungs/contract";
import { LOOPBACK } from "../access/audience.ts";
import type { Middleware } from "./trace.ts";

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
