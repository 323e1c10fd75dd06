/** The secret of a browser's session: a cookie holds it and, without TLS, only half of it, with the other half as a Basic key. */
import { findSession, type OpenSession } from "@rungs/server";
import { formatBasicKeyUrl, readBasicKey, readCookieHalf, splitSecret } from "./basic-key.ts";
import type { ConsoleRequest } from "./console-request.ts";
import { redirectTo } from "./route.ts";
import { isSecure, readCookie, writeCookie } from "./session-cookie.ts";

/** Finds the session of a request; undefined if a half of its secret is missing or the session has ended. */
export async function findBrowserSession(request: ConsoleRequest): Promise<OpenSession | undefined> {
  const secret = readSecret(request);
  return secret === undefined ? undefined : findSession(request.context, secret);
}

function readSecret({ raw, base_url }: ConsoleRequest): string | undefined {
  const cookie = readCookie(raw, base_url);
  const half = cookie && readCookieHalf(cookie);
  if (half === undefined) return cookie;
  const key = readBasicKey(raw);
  return key === undefined ? undefined : half + key;
}

/** The secret of a new session, and the page to show next. */
export interface NewSession {
  readonly secret: string;
  readonly next: string;
  /** Whether the owner chose to keep the whole secret in the cookie. */
  readonly is_cookie_alone: boolean;
}

/** Gives a browser the secret of its new session and redirects it. */
export function sendSecret({ raw, base_url }: ConsoleRequest, session: NewSession): Response {
  const { secret, next, is_cookie_alone } = session;
  if (is_cookie_alone || isSecure(base_url))
    return redirectTo(next, { "Set-Cookie": writeCookie(secret, base_url) });
  const { cookie, key } = splitSecret(secret);
  const url = formatBasicKeyUrl(new URL(raw.url).origin, key, next);
  return redirectTo(url, { "Set-Cookie": writeCookie(cookie, base_url) });
}
