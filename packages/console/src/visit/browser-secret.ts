/** How a browser holds the secret of its session: in a cookie and, without TLS, a half of it as a key beside the cookie. */
import { findSession, type OpenSession } from "@rungs/server";
import { goTo } from "./answer.ts";
import { isSecure, readCookie, writeCookie } from "./cookie.ts";
import { formatKeyAddress, readHalf, readKey, splitSecret } from "./port-key.ts";
import type { Guest } from "./visit.ts";

/** The session of the browser that asks; undefined when any part of its secret is missing, or the session has ended. */
export async function findBrowserSession(guest: Guest): Promise<OpenSession | undefined> {
  const secret = readSecret(guest);
  return secret === undefined ? undefined : findSession(guest.parts, secret);
}

function readSecret({ request, base_url }: Guest): string | undefined {
  const cookie = readCookie(request, base_url);
  const half = cookie && readHalf(cookie);
  if (half === undefined) return cookie;
  const key = readKey(request);
  return key === undefined ? undefined : half + key;
}

/** What a browser is given, and where it goes then. */
export interface Given {
  readonly secret: string;
  readonly next: string;
  /** Whether the owner wants no key beside the cookie. */
  readonly is_cookie_alone: boolean;
}

/** Gives a browser the secret of a new session, and leads it to a page. */
export function giveSecret({ request, base_url }: Guest, { secret, next, is_cookie_alone }: Given): Response {
  if (is_cookie_alone || isSecure(base_url))
    return goTo(next, { "Set-Cookie": writeCookie(secret, base_url) });
  const { cookie, key } = splitSecret(secret);
  const address = formatKeyAddress(new URL(request.url).origin, key, next);
  return goTo(address, { "Set-Cookie": writeCookie(cookie, base_url) });
}
