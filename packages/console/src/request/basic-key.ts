/**
 * The half of a session secret that a browser keeps as the password of HTTP Basic authentication (RFC 7617). Browsers
 * scope cookies by host alone, so any program that listens on another port of this machine can receive them. They scope
 * Basic credentials by origin, which includes the port (RFC 9110 §11.5), and need no script to send them.
 */
const HALF = "half.";
/** About half of a secret, so that neither half can be guessed. */
const KEY_CHARS = 22;
const BASIC = /^basic +(?<credentials>[A-Za-z0-9+/]+={0,2}) *$/i;

/** Where a browser picks up its key. Not under `/console`: browsers send Basic credentials preemptively to the paths beside and below. */
export const BASIC_KEY_PATH = "/console-key";

/** The challenge that makes a browser send its key, or prompt for one. */
export const BASIC_CHALLENGE = { "WWW-Authenticate": 'Basic realm="Rungs", charset="UTF-8"' } as const;

/** Splits a secret into the value of the cookie and the key. */
export function splitSecret(secret: string): { readonly cookie: string; readonly key: string } {
  return { cookie: HALF + secret.slice(0, -KEY_CHARS), key: secret.slice(-KEY_CHARS) };
}

/** The half of a secret in a cookie; undefined if the cookie holds a whole secret. */
export function readCookieHalf(cookie: string): string | undefined {
  return cookie.startsWith(HALF) ? cookie.slice(HALF.length) : undefined;
}

/** The key that a request carries; undefined if there is none. */
export function readBasicKey(request: Request): string | undefined {
  const credentials = BASIC.exec(request.headers.get("Authorization") ?? "")?.groups?.credentials;
  const [user, key = ""] = Buffer.from(credentials ?? "", "base64")
    .toString()
    .split(":");
  return user === deriveUser(key) && key.length === KEY_CHARS ? key : undefined;
}

/** A different user name for each key: Firefox keeps using the password that it knows for a known name. */
function deriveUser(key: string): string {
  return `rungs-${key.slice(0, 6)}`;
}

/** The URL that gives a browser its key and redirects to a page. */
export function formatBasicKeyUrl(origin: string, key: string, next: string): string {
  const url = new URL(BASIC_KEY_PATH, origin);
  url.username = deriveUser(key);
  url.password = key;
  url.searchParams.set("next", next);
  return url.href;
}
