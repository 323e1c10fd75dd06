import { parse, serialize } from "hono/utils/cookie";
import { readCookieHalf } from "./basic-key.ts";

const MAX_AGE_SECONDS = 30 * 24 * 60 * 60;

/** The value of a request's session cookie: a session secret, or half of it. */
export function readCookie(request: Request, base_url: string): string | undefined {
  const name = chooseName(base_url);
  return parse(request.headers.get("Cookie") ?? "", name)[name] || undefined;
}

/** The `Set-Cookie` header of a session: unreadable for scripts, and not sent with forms of other sites. */
export function writeCookie(cookie: string, base_url: string): string {
  // A browser forgets its Basic key when it quits, and half a secret is useless then.
  const age = readCookieHalf(cookie) === undefined ? { maxAge: MAX_AGE_SECONDS } : {};
  return serialize(chooseName(base_url), cookie, { ...chooseOptions(base_url), ...age });
}

/** The `Set-Cookie` header that deletes the session cookie. */
export function clearCookie(base_url: string): string {
  return serialize(chooseName(base_url), "", { ...chooseOptions(base_url), maxAge: 0 });
}

/** `__Host-` binds a cookie to its exact host, and requires TLS and the path `/` (RFC 6265bis §4.1.3.2). */
function chooseName(base_url: string): string {
  return isSecure(base_url) ? "__Host-rungs" : "rungs_session";
}

/** Not `Strict`: links from other sites, as an agent's link to a record or a consent page, must arrive signed in. */
function chooseOptions(base_url: string) {
  return { httpOnly: true, sameSite: "Lax", path: "/", secure: isSecure(base_url) } as const;
}

/** Whether browsers reach the server over TLS, where no other program can answer for its name. */
export function isSecure(base_url: string): boolean {
  return base_url.startsWith("https:");
}
