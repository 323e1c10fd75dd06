import { parse, serialize } from "hono/utils/cookie";
import { readHalf } from "./port-key.ts";

const MAX_AGE_SECONDS = 30 * 24 * 60 * 60;

/** What a request's cookie carries: a session's secret, or half of it. */
export function readCookie(request: Request, base_url: string): string | undefined {
  const name = nameFor(base_url);
  return parse(request.headers.get("Cookie") ?? "", name)[name] || undefined;
}

/** The header that keeps a session in the browser, out of reach of scripts and of forms on other sites. */
export function writeCookie(cookie: string, base_url: string): string {
  // A browser forgets its key when it ends, and the other half is of no use then.
  const age = readHalf(cookie) === undefined ? { maxAge: MAX_AGE_SECONDS } : {};
  return serialize(nameFor(base_url), cookie, { ...optionsFor(base_url), ...age });
}

/** The header that makes the browser forget the session. */
export function clearCookie(base_url: string): string {
  return serialize(nameFor(base_url), "", { ...optionsFor(base_url), maxAge: 0 });
}

/** `__Host-` binds a cookie to this very host, and asks for TLS and the whole site (RFC 6265bis §4.1.3.2). */
function nameFor(base_url: string): string {
  return isSecure(base_url) ? "__Host-rungs" : "rungs_session";
}

/** Not `Strict`: an agent's link to a record or to a consent leads here from another site. */
function optionsFor(base_url: string) {
  return { httpOnly: true, sameSite: "Lax", path: "/", secure: isSecure(base_url) } as const;
}

/** Whether the server is reached over TLS, by a name that no other program answers for. */
export function isSecure(base_url: string): boolean {
  return base_url.startsWith("https:");
}
