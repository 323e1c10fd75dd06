/**
 * The token that a session's pages read with. Browsers keep cookies by host and not by port, so another program of this
 * machine may get to see the cookie: the token is made of it with a secret of the server's, and the cookie alone is none.
 */
import { createHmac, randomBytes } from "node:crypto";
import type { Store } from "@rungs/store";
import { digestToken } from "../access/bearer.ts";

/** A session's token, and the digest under which it is kept. */
export interface SessionToken {
  readonly token: string;
  readonly digest: string;
}

/** Asking for a secret waits for writers, and pages should not. */
const secrets = new WeakMap<Store, string>();

/** The token that belongs to a cookie. */
export async function deriveSessionToken(store: Store, cookie: string): Promise<SessionToken> {
  const mac = createHmac("sha256", await readSecret(store)).update(cookie);
  const token = `rungs_${mac.digest("base64url")}`;
  return { token, digest: digestToken(token) };
}

async function readSecret(store: Store): Promise<string> {
  const known = secrets.get(store);
  if (known !== undefined) return known;
  const secret = await store.getSecret("session", () => randomBytes(32).toString("base64url"));
  secrets.set(store, secret);
  return secret;
}
