/** Subscriptions to changes, for the clients of grants. The owner's token lists, stops and ends all of them. */
import { randomBytes } from "node:crypto";
import { ApiError, createSubscriptionBody, requireBody, updateSubscriptionBody } from "@rungs/contract";
import type { Authority } from "../access/authority.ts";
import { requireCallback } from "../events/callback-address.ts";
import {
  deleteSubscription,
  deriveKey,
  describeSubscription,
  findStatus,
  formatStreamKey,
  getProgress,
  listSubscriptions,
  NO_PROGRESS,
  putProgress,
  putSubscription,
  requestTest,
  requireSubscription,
  type Subscription,
} from "../events/subscriptions.ts";
import { readJsonBody } from "../ingest/guard-body.ts";
import { readHorizon } from "../records/horizon.ts";
import type { Call, GuardedName, Handler } from "./handler.ts";

const BODY_BYTES = 64 * 1024;
const SUBSCRIPTIONS_MAX = 10;

/** `list_event_subscriptions`: those of the caller. */
export const handleListSubscriptions: Handler<"list_event_subscriptions"> = async (call) => {
  const place = findPlace(call);
  const own = (await listSubscriptions(place)).filter(isOwn(call.authority));
  const data = [];
  for (const each of own)
    data.push(describeSubscription(each, await getProgress(place, each.subscription_id)));
  return { kind: "json", body: { data }, reads: [{}] };
};

/** `create_event_subscription`: from now on, changes are announced. */
export const handleCreateSubscription: Handler<"create_event_subscription"> = async (call) => {
  const { settings, authority, now_ms } = call;
  const place = findPlace(call);
  if (authority.kind !== "client") throw new ApiError("client_token_required");
  const body = requireBody(createSubscriptionBody, await readBody(call));
  const filter = body.filters?.streams;
  const streams = chooseStreams(authority, filter);
  const callback_url = await requireCallback(place, body.callback_url, settings.base_url === undefined);
  const own = (await listSubscriptions(place)).filter(isOwn(authority));
  if (own.length >= SUBSCRIPTIONS_MAX) {
    const message = `A grant has at most ${SUBSCRIPTIONS_MAX} subscriptions; end one of them first.`;
    throw new ApiError("invalid_request", { message });
  }
  const at = new Date(now_ms).toISOString();
  const subscription: Subscription = {
    subscription_id: `sub_${randomBytes(12).toString("hex")}`,
    client_id: authority.client_id,
    grant_ids: authority.grants.map(({ grant_id }) => grant_id),
    callback_url,
    streams,
    filter,
    is_enabled: true,
    enabled_at_ms: now_ms,
    key_number: 1,
    challenge: randomBytes(16).toString("hex"),
    created_at: at,
    updated_at: at,
  };
  const { subscription_id } = subscription;
  const positions: Record<string, number> = {};
  for (const name of streams)
    positions[formatStreamKey(name)] = await readHorizon(settings.store, authority.scope, name);
  await putProgress(place, subscription_id, { ...NO_PROGRESS, positions });
  await putSubscription(place, subscription);
  const secret = await deriveKey(place, subscription);
  return {
    kind: "json",
    body: { subscription_id, secret, status: "pending_verification", callback_url, created_at: at },
    reads: [{}],
  };
};

/** `get_event_subscription`: one of the caller's. */
export const handleGetSubscription: Handler<"get_event_subscription"> = async (call) => {
  const found = await requireOwn(call);
  const progress = await getProgress(findPlace(call), found.subscription_id);
  return { kind: "json", body: describeSubscription(found, progress), reads: [{}] };
};

/** `update_event_subscription`: stops, starts, or changes the key. */
export const handleUpdateSubscription: Handler<"update_event_subscription"> = async (call) => {
  const place = findPlace(call);
  const { enabled, rotate_secret } = requireBody(updateSubscriptionBody, await readBody(call));
  const found = await requireOwn(call);
  const changed: Subscription = {
    ...found,
    ...(enabled === undefined ? {} : { is_enabled: enabled }),
    ...(enabled ? { enabled_at_ms: call.now_ms } : {}),
    ...(rotate_secret ? { key_number: found.key_number + 1 } : {}),
    updated_at: new Date(call.now_ms).toISOString(),
  };
  await putSubscription(place, changed);
  const progress = await getProgress(place, found.subscription_id);
  const subscription = describeSubscription(changed, progress);
  const secret = rotate_secret ? { secret: await deriveKey(place, changed) } : {};
  return { kind: "json", body: { subscription, ...secret }, reads: [{}] };
};

/** `delete_event_subscription`: ends it. */
export const handleDeleteSubscription: Handler<"delete_event_subscription"> = async (call) => {
  const { subscription_id } = await requireOwn(call);
  await deleteSubscription(findPlace(call), subscription_id);
  return { kind: "empty", status: 204, reads: [{}] };
};

/** `send_test_event`: a message without content. */
export const handleSendTestEvent: Handler<"send_test_event"> = async (call) => {
  const place = findPlace(call);
  const found = await requireOwn(call);
  const status = findStatus(found, await getProgress(place, found.subscription_id));
  if (status !== "active" && status !== "pending_verification") throw new ApiError("subscription_inactive");
  const event_id = await requestTest(place, found.subscription_id);
  return { kind: "json", body: { event_id }, reads: [{}] };
};

function findPlace({
  settings: { store },
  authority: { owner_id },
}: Pick<Call<GuardedName>, "settings" | "authority">) {
  return { store, owner_id };
}

function requireOwn(call: Pick<Call<"get_event_subscription">, "settings" | "authority" | "input">) {
  return requireSubscription(findPlace(call), call.input.subscription_id, isOwn(call.authority));
}

function isOwn({ kind, client_id, grants }: Authority): (subscription: Subscription) => boolean {
  const ids = new Set(grants.map(({ grant_id }) => grant_id));
  return (each) =>
    kind === "owner" || (each.client_id === client_id && each.grant_ids.every((id) => ids.has(id)));
}

/** The granted streams, or those of them that the client names. */
function chooseStreams({ scope }: Authority, names: readonly string[] | undefined) {
  const unknown = names?.find((name) => !scope.streams.some(({ stream }) => stream === name));
  if (unknown !== undefined) throw new ApiError("grant_stream_not_allowed", { param: "filters" });
  return scope.streams
    .filter(({ stream }) => names === undefined || names.includes(stream))
    .map(({ connection_id, stream }) => ({ connection_id, stream }));
}

async function readBody({ request, settings }: Pick<Call<GuardedName>, "request" | "settings">) {
  return readJsonBody(request, settings.limits, BODY_BYTES);
}
