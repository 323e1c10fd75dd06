/** Keys of the authorization server, made once and kept in the store for every server on it. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { Store } from "@rungs/store";
import type { JWKS } from "oidc-provider";

/** What cookies and identity tokens are signed with. */
export interface OAuthKeys {
  readonly cookie_keys: readonly string[];
  readonly jwks: JWKS;
}

/** Reads the keys, or makes them the first time. */
export async function openKeys(store: Store): Promise<OAuthKeys> {
  const cookie_key = await store.getSecret("oauth-cookies", () => randomBytes(32).toString("base64url"));
  const signing_key = await store.getSecret("oauth-signing", createSigningKey);
  return { cookie_keys: [cookie_key], jwks: { keys: [JSON.parse(signing_key)] } };
}

function createSigningKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return JSON.stringify({ ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" });
}
