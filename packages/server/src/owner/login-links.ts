import { createToken, digestToken } from "../access/bearer.ts";
import type { OwnerParts } from "./owner-context.ts";

const KIND = "login_link";

/** How long a link can be used. */
export const LOGIN_LINK_MS = 15 * 60 * 1000;

/** Makes the address that signs its reader in once, at a server that is reached under `base_url`; only a digest is kept. */
export async function createLoginLink(parts: OwnerParts, base_url: string): Promise<string> {
  const { store, owner_id, now } = parts;
  const code = createToken();
  await store.putState(owner_id, {
    kind: KIND,
    id: digestToken(code),
    value: {},
    expires_at_ms: now() + LOGIN_LINK_MS,
  });
  return `${base_url}/console/sign-in?code=${code}`;
}

/** Uses a link up: true for the first who has its code in time, and for nobody else. */
export async function takeLoginCode({ store, owner_id }: OwnerParts, code: string): Promise<boolean> {
  return (await store.takeState(owner_id, KIND, digestToken(code))) !== undefined;
}
