import type { MiddlewareHandler } from "hono";

/** Nothing from elsewhere, no script, no frame around or within: what a record says can be shown and does nothing. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Puts the security headers on every page. The referrer stays within the site and not at home altogether: without
 * it a browser sends forms with `Origin: null`, which the server's check of origins refuses.
 */
export function secureHeaders(): MiddlewareHandler {
  return async (context, next) => {
    await next();
    const { headers } = context.res;
    if (!headers.has("Content-Security-Policy")) headers.set("Content-Security-Policy", POLICY);
    headers.set("X-Frame-Options", "DENY");
    headers.set("Referrer-Policy", "same-origin");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
  };
}
