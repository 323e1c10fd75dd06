/**
 * The half of a session's secret that no other port is sent. Browsers keep cookies by host alone, so that any program that
 * listens on this machine can have them; what a browser signs in with by HTTP's own way (RFC 7617) it keeps for one
 * origin, of which the port is a part (RFC 9110 §11.5), and it takes no script to do so.
 */
const HALF = "half.";
/** About half of a secret: neither half can be guessed. */
const KEY_CHARS = 22;
const BASIC = /^basic +(?<credentials>[A-Za-z0-9+/]+={0,2}) *$/i;

/** Where a browser takes its key. Not below `/console`: a browser sends a key along for what lies beside and below that address. */
export const KEY_PATH = "/console-key";

/** The header that has a browser send its key, or ask for one where it has none. */
export const KEY_CHALLENGE = { "WWW-Authenticate": 'Basic realm="Rungs", charset="UTF-8"' } as const;

/** Cuts a secret into what the cookie carries and the key. */
export function splitSecret(secret: string): { readonly cookie: string; readonly key: string } {
  return { cookie: HALF + secret.slice(0, -KEY_CHARS), key: secret.slice(-KEY_CHARS) };
}

/** The half of a secret that a cookie carries; undefined for a cookie that carries all of one. */
export function readHalf(cookie: string): string | undefined {
  return cookie.startsWith(HALF) ? cookie.slice(HALF.length) : undefined;
}

/** The key that a request brings, if it brings one. */
export function readKey(request: Request): string | undefined {
  const credentials = BASIC.exec(request.headers.get("Authorization") ?? "")?.groups?.credentials;
  const [user, key = ""] = Buffer.from(credentials ?? "", "base64")
    .toString()
    .split(":");
  return user === userOf(key) && key.length === KEY_CHARS ? key : undefined;
}

/** Another one for each key: under a name that it knows, Firefox goes on with the key that it knows. */
function userOf(key: string): string {
  return `rungs-${key.slice(0, 6)}`;
}

/** The address that gives a browser its key, and leads on to a page. */
export function formatKeyAddress(origin: string, key: string, next: string): string {
  const address = new URL(KEY_PATH, origin);
  address.username = userOf(key);
  address.password = key;
  address.searchParams.set("next", next);
  return address.href;
}
