/** How long everything lasts, in seconds. Nothing outlives its grant. */
import { type Grant, parseTimeMs } from "@rungs/contract";
import type { Configuration } from "oidc-provider";

const HOUR = 60 * 60;
const DAY = 24 * HOUR;

/** How long the library remembers a grant that has no end; the owner's grant is what counts. */
export const ENDLESS_SECONDS = 100 * 365 * DAY;

/** How long a client's document is taken for true: longer than an owner takes to answer, so that a question stays the same. */
export const DOCUMENT_CACHE = { min: 2 * HOUR, max: DAY };

/** The lifetimes of the library's models. */
export const lifetimes: NonNullable<Configuration["ttl"]> = {
  AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? HOUR,
  AuthorizationCode: 60,
  DeviceCode: 15 * 60,
  Grant: DAY,
  IdToken: HOUR,
  Interaction: HOUR,
  RefreshToken: (ctx) => capLifetime(30 * DAY, ctx.oidc.entities.Grant?.exp),
  Session: HOUR,
};

/** The one scope there is: what may be read is said by authorization details, not by scopes. */
export const READ_SCOPE = "read";

/** How long an access token under a grant lasts. */
export function computeAccessTokenLifetime(grant: Grant | undefined): number {
  const expires_at_ms = parseTimeMs(grant?.expires_at);
  return capLifetime(HOUR, expires_at_ms === undefined ? undefined : expires_at_ms / 1000);
}

function capLifetime(seconds: number, ends_at: number | undefined): number {
  if (ends_at === undefined) return seconds;
  return Math.max(1, Math.min(seconds, Math.floor(ends_at - Date.now() / 1000)));
}

/** The kind under which the store keeps a model of the authorization server. */
export function formatStateKind(model: string): string {
  return `oauth.${model}`;
}

/** The kind of the mark that stands as long as something that works once has not been used: whoever takes it is first. */
export function formatUnusedKind(model: string): string {
  return `oauth.${model}.unused`;
}
