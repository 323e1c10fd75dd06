/** The models of oidc-provider: how long each lives, in seconds, and the kind under which the store keeps it. Nothing outlives its grant. */
import { type Grant, parseTimeMs } from "@rungs/contract";
import type { Configuration } from "oidc-provider";

const HOUR = 60 * 60;
const DAY = 24 * HOUR;

/** How long the library keeps a grant without expiry; the owner's grant decides. */
export const ENDLESS_SECONDS = 100 * 365 * DAY;

/** How long a client's metadata document is cached: longer than a request stays open, so that the client cannot change meanwhile. */
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

/** The only OAuth scope: authorization details, not scopes, say what a client may read. */
export const READ_SCOPE = "read";

/** The lifetime of an access token under a grant. */
export function computeAccessTokenLifetime(grant: Grant | undefined): number {
  const expires_at_ms = parseTimeMs(grant?.expires_at);
  return capLifetime(HOUR, expires_at_ms === undefined ? undefined : expires_at_ms / 1000);
}

function capLifetime(seconds: number, ends_at: number | undefined): number {
  if (ends_at === undefined) return seconds;
  return Math.max(1, Math.min(seconds, Math.floor(ends_at - Date.now() / 1000)));
}

/** The kind under which the store keeps a model. */
export function formatStateKind(model: string): string {
  return `oauth.${model}`;
}

/** The kind of the marker of an unused single-use item: the first caller takes it. */
export function formatUnusedKind(model: string): string {
  return `oauth.${model}.unused`;
}
