import { ApiError } from "@rungs/contract";
import type { SourceAccess } from "../live-source.ts";
import { OAuthRefused, requestTokens } from "./request-tokens.ts";
import { formatOAuthSecret, type OAuthSecret, type OAuthSettings, parseOAuthSecret } from "./settings.ts";

/** A token that expires within this time counts as expired. */
const SOON_MS = 60_000;

/** An access token, and whether it was kept from an earlier run: such a token may have been revoked. */
export interface AccessToken {
  readonly token: string;
  readonly is_kept: boolean;
}

/** Returns a token that is valid now, refreshed if the kept one has expired or `renew` asks for another. */
export async function requireAccessToken(
  { token_url, client_id, scope }: OAuthSettings,
  { secret = "", saveSecret }: Pick<SourceAccess, "secret" | "saveSecret">,
  { signal, renew = false }: { readonly signal: AbortSignal; readonly renew?: boolean },
): Promise<AccessToken> {
  const held = parseOAuthSecret(secret);
  if (!held) throw endSignIn("There is no sign-in for this source.");
  const { access_token, expires_ms = 0, refresh_token, client_secret } = held;
  if (!renew && access_token !== undefined && expires_ms > Date.now() + SOON_MS)
    return { token: access_token, is_kept: true };
  try {
    const form = { grant_type: "refresh_token", refresh_token, client_id, client_secret, scope };
    const given = await requestTokens(token_url, form, signal);
    const next: OAuthSecret = {
      ...held,
      // Providers that rotate it refuse the earlier one from now on.
      refresh_token: given.refresh_token ?? refresh_token,
      access_token: given.access_token,
      expires_ms: Date.now() + given.lifetime_ms,
    };
    await saveSecret?.(formatOAuthSecret(next));
    return { token: given.access_token, is_kept: false };
  } catch (error) {
    if (error instanceof OAuthRefused)
      throw endSignIn(`The provider refused to renew the sign-in: ${error.message}.`);
    throw error;
  }
}

/** The error for a sign-in that only the owner can renew. */
export function endSignIn(message: string): ApiError {
  return new ApiError("source_refused", { message, next: "Sign in again with rungs sync password." });
}
