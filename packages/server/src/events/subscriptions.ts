/**
 * Subscriptions as they are stored. What the client decides and what the worker found out are separate values, so that neither
 * overwrites the other.
 */
import { createHmac, randomBytes } from "node:crypto";
import { ApiError, type EventSubscription } from "@rungs/contract";
import type { Store } from "@rungs/store";
import type { StreamName } from "../access/authority.ts";

const KIND = "event-subscription";
const PROGRESS_KIND = "event-progress";
const TEST_KIND = "event-test";

/** What the client decided. */
export interface Subscription {
  readonly subscription_id: string;
  readonly client_id: string;
  readonly grant_ids: readonly string[];
  readonly callback_url: string;
  /** The streams that it covers, out of those that the grant had at the time. */
  readonly streams: readonly StreamName[];
  /** The stream names, if the client chose some. */
  readonly filter?: readonly string[] | undefined;
  readonly is_enabled: boolean;
  /** When it was last switched on; a failure before that is forgiven. */
  readonly enabled_at_ms: number;
  /** Counts the keys that were made for it. */
  readonly key_number: number;
  readonly challenge: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A message that waits for its receiver. */
export interface PendingEvent {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  /** The stream that changed. */
  readonly about?: (StreamName & { readonly since: number }) | undefined;
  readonly attempts: number;
  readonly first_at_ms: number;
  readonly next_at_ms: number;
}

/** What the worker found out. Positions and messages are one value, so that no change is skipped without its message. */
export interface Progress {
  readonly is_verified: boolean;
  readonly failed_at_ms?: number | undefined;
  readonly failure?: string | undefined;
  /** The grant has ended, and its client was told or cannot be reached. */
  readonly is_ended?: boolean | undefined;
  /** The watermark of announced changes, by connection and stream. */
  readonly positions: Readonly<Record<string, number>>;
  readonly pending: readonly PendingEvent[];
}

export const NO_PROGRESS: Progress = { is_verified: false, positions: {}, pending: [] };

interface Place {
  readonly store: Pick<Store, "getState" | "listState" | "putState" | "deleteState">;
  readonly owner_id: string;
}

export async function listSubscriptions({ store, owner_id }: Place): Promise<Subscription[]> {
  return (await store.listState(owner_id, KIND)).map(({ value }) => value as Subscription);
}

/** Throws `not_found` for a subscription that does not exist or is not `isOwn`. */
export async function requireSubscription(
  { store, owner_id }: Place,
  id: string,
  isOwn: (subscription: Subscription) => boolean,
): Promise<Subscription> {
  const found = (await store.getState(owner_id, KIND, id))?.value as Subscription | undefined;
  if (!found || !isOwn(found)) throw new ApiError("not_found", { message: "There is no such subscription." });
  return found;
}

export async function putSubscription({ store, owner_id }: Place, value: Subscription): Promise<void> {
  await store.putState(owner_id, { kind: KIND, id: value.subscription_id, value });
}

export async function deleteSubscription({ store, owner_id }: Place, id: string): Promise<void> {
  for (const kind of [KIND, PROGRESS_KIND, TEST_KIND]) await store.deleteState(owner_id, kind, id);
}

export async function getProgress({ store, owner_id }: Place, id: string): Promise<Progress> {
  return ((await store.getState(owner_id, PROGRESS_KIND, id))?.value as Progress | undefined) ?? NO_PROGRESS;
}

export async function putProgress({ store, owner_id }: Place, id: string, value: Progress): Promise<void> {
  await store.putState(owner_id, { kind: PROGRESS_KIND, id, value });
}

/** Asks the worker for a test message; a second one replaces the first while that waits. */
export async function requestTest({ store, owner_id }: Place, id: string): Promise<string> {
  const event_id = createEventId();
  await store.putState(owner_id, { kind: TEST_KIND, id, value: { event_id } });
  return event_id;
}

/** The id of the test message that was asked for. */
export async function claimTestMessage(
  { store, owner_id }: { readonly store: Pick<Store, "takeState">; readonly owner_id: string },
  id: string,
): Promise<string | undefined> {
  const taken = await store.takeState(owner_id, TEST_KIND, id);
  return (taken?.value as { event_id: string } | undefined)?.event_id;
}

/** The name of a stream of a connection, for lists of positions. */
export function formatStreamKey({ connection_id, stream }: StreamName): string {
  return `${connection_id}/${stream}`;
}

export function createEventId(): string {
  return `evt_${randomBytes(12).toString("hex")}`;
}

/** The state of a subscription, from both values. */
export function findStatus(
  { is_enabled, enabled_at_ms }: Subscription,
  { is_ended, is_verified, failed_at_ms }: Progress,
): EventSubscription["status"] {
  if (is_ended) return "disabled_revoked";
  if (!is_enabled) return "disabled";
  if (failed_at_ms !== undefined && failed_at_ms >= enabled_at_ms) return "disabled_failure";
  return is_verified ? "active" : "pending_verification";
}

/** A subscription for its client and for the owner. */
export function describeSubscription(subscription: Subscription, progress: Progress): EventSubscription {
  const { subscription_id, client_id, grant_ids, callback_url, created_at, updated_at } = subscription;
  const status = findStatus(subscription, progress);
  const reasons: Partial<Record<EventSubscription["status"], string>> = {
    disabled: "client_disabled",
    disabled_failure: progress.failure ?? "failed",
    disabled_revoked: "grant_ended",
  };
  return {
    subscription_id,
    grant_id: grant_ids[0] ?? "",
    client_id,
    callback_url,
    status,
    disabled_reason: reasons[status] ?? null,
    scope: {
      streams: subscription.streams.map(({ stream: name, connection_id }) => ({ name, connection_id })),
      ...(subscription.filter && { filters: { streams: [...subscription.filter] } }),
    },
    created_at,
    updated_at,
  };
}

/** The key that signs the messages of a subscription. It is derived, so that no key is stored. */
export async function deriveKey(
  { store }: { readonly store: Pick<Store, "getSecret"> },
  { subscription_id, key_number }: Pick<Subscription, "subscription_id" | "key_number">,
): Promise<string> {
  const root = await store.getSecret("events", () => randomBytes(32).toString("base64url"));
  const key = createHmac("sha256", root).update(`${subscription_id} ${key_number}`).digest("base64");
  return `whsec_${key}`;
}
