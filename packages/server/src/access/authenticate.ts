import { ApiError, parseTimeMs } from "@rungs/contract";
import type { Access, Store, StoredToken } from "@rungs/store";
import { isOwnResource } from "./audience.ts";
import { digestToken, requireBearer } from "./bearer.ts";

/** Looks up the token of a request to `audience`, with its grants. Only the lookup says what a token may do, never its form. */
export function authenticate(
  header: string | undefined,
  store: Store,
  now_ms: number,
  audience: string,
): Promise<Access> {
  return requireAccess(digestToken(requireBearer(header)), store, now_ms, audience);
}

/** Looks up a token by its digest; throws unless it works for `audience` at this moment. */
export async function requireAccess(
  digest: string,
  store: Store,
  now_ms: number,
  audience: string,
): Promise<Access> {
  const access = await store.findAccess(digest);
  if (!access || !isLive(access.token, now_ms) || !isFor(access.token, audience)) {
    throw new ApiError("invalid_token");
  }
  return access;
}

/** Whether a token is of a known kind and has neither expired nor been revoked. */
export function isLive({ kind, expires_at, revoked_at }: StoredToken, now_ms: number): boolean {
  if (revoked_at !== undefined || (kind !== "owner" && kind !== "client")) return false;
  if (expires_at === undefined) return true;
  const expires_at_ms = parseTimeMs(expires_at);
  return expires_at_ms !== undefined && expires_at_ms > now_ms;
}

/** A token that the owner created by hand has no audience and works on any server of the store. */
function isFor({ audience: made_for }: StoredToken, audience: string): boolean {
  return made_for === undefined || isOwnResource(made_for, audience);
}
