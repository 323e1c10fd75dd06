/**
 * The token that a session's pages read with. It is made of what the browser holds with a key of the server's, so that what
 * the browser holds opens pages, which show the owner what is done with it, and neither REST nor MCP.
 */
import { createHmac, randomBytes } from "node:crypto";
import type { Store } from "@rungs/store";
import { digestToken } from "../access/bearer.ts";

/** A session's token, and the digest under which it is kept. */
export interface SessionToken {
  readonly token: string;
  readonly digest: string;
}

/** Asking for a key waits for writers, and pages should not. */
const keys = new WeakMap<Store, string>();

/** The token that belongs to a session's secret. */
export async function deriveSessionToken(store: Store, secret: string): Promise<SessionToken> {
  const mac = createHmac("sha256", await readKey(store)).update(secret);
  const token = `rungs_${mac.digest("base64url")}`;
  return { token, digest: digestToken(token) };
}

async function readKey(store: Store): Promise<string> {
  const known = keys.get(store);
  if (known !== undefined) return known;
  const key = await store.getSecret("session", () => randomBytes(32).toString("base64url"));
  keys.set(store, key);
  return key;
}
