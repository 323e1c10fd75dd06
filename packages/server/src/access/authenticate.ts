import { ApiError, parseTimeMs } from "@rungs/contract";
import type { Store, StoredToken } from "@rungs/store";
import { digestToken, requireBearer } from "./bearer.ts";

/** Finds whose token a request carries. What a token may do is known by looking it up, never by its form. */
export async function authenticate(
  header: string | undefined,
  store: Store,
  now_ms: number,
): Promise<StoredToken> {
  const token = await store.findToken(digestToken(requireBearer(header)));
  if (!token || !isValid(token, now_ms)) throw new ApiError("invalid_token");
  return token;
}

function isValid({ kind, expires_at, revoked_at }: StoredToken, now_ms: number): boolean {
  if (revoked_at !== undefined || (kind !== "owner" && kind !== "client")) return false;
  if (expires_at === undefined) return true;
  const expires_at_ms = parseTimeMs(expires_at);
  return expires_at_ms !== undefined && expires_at_ms > now_ms;
}
