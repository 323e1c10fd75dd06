/** The worker that announces changes: at least once, in order, until the grant ends or the receiver fails. */
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "@rungs/contract";
import type { Sealer } from "@rungs/evidence";
import {
  type Authority,
  authorize,
  createSourceDescriber,
  type SourceDescriber,
} from "../access/authority.ts";
import { recordEvent } from "../owner/audit-events.ts";
import { repeatForEachOwner } from "../owner/each-owner.ts";
import type { OwnerContext } from "../owner/owner-context.ts";
import { announceChanges } from "./announce-changes.ts";
import { requireCallback } from "./callback-address.ts";
import { createEvent } from "./create-event.ts";
import { readOutcome } from "./receipts.ts";
import type { Receipt } from "./send-event.ts";
import {
  claimTestMessage,
  deleteSubscription,
  deriveKey,
  findStatus,
  formatStreamKey,
  getProgress,
  listSubscriptions,
  type PendingEvent,
  type Progress,
  putProgress,
  type Subscription,
} from "./subscriptions.ts";

/** What the worker needs besides an owner. */
export interface AnnouncingContext extends OwnerContext {
  readonly sealer: Sealer;
  /** Whether only programs of this machine reach the server. */
  readonly is_local: boolean;
}

const ROUND_MS = 2_000;
/** How long a round waits for receivers. */
const PATIENCE_MS = 2_000;
/** One process at a time sends; another takes over within this time. */
const LEASE_MS = 30_000;

/** Announces the changes of all owners until the signal aborts. Errors of the database end a round, not the worker. */
export async function keepSendingEvents(context: AnnouncingContext, signal: AbortSignal): Promise<void> {
  const describeSources = createSourceDescriber(context.store);
  const leases = new Map<string, number>();
  const rounds = new Map<string, ReturnType<typeof createEventRound>>();
  const running = new Map<string, Promise<void>>();
  await repeatForEachOwner(context, ROUND_MS, signal, async (owner) => {
    const lease = Math.floor(context.now() / LEASE_MS);
    if (leases.get(owner.owner_id) !== lease) {
      leases.delete(owner.owner_id);
      if (!(await takeLease(owner, lease))) return false;
      leases.set(owner.owner_id, lease);
    }
    // Receivers may be slow: the next owner does not wait for them.
    const { owner_id } = owner;
    const round = rounds.get(owner_id) ?? createEventRound(owner, describeSources);
    rounds.set(owner_id, round);
    if (!running.has(owner_id))
      running.set(
        owner_id,
        round(signal)
          .catch(() => undefined)
          .finally(() => running.delete(owner_id)),
      );
    return false;
  });
  await Promise.all(running.values());
}

async function takeLease(context: AnnouncingContext, lease: number): Promise<boolean> {
  const { store, owner_id } = context;
  if ((await listSubscriptions(context)).length === 0) return false;
  return store.claimOnce(owner_id, `events ${lease}`, (lease + 2) * LEASE_MS);
}

/**
 * Creates the function that visits each subscription of an owner once and sends what is due. It waits for a slow
 * receiver only for a while, then skips it until it has answered, so that it does not delay the others.
 */
export function createEventRound(
  context: AnnouncingContext,
  describeSources = createSourceDescriber(context.store),
): (signal: AbortSignal) => Promise<void> {
  const busy = new Set<string>();
  const serve = async (subscription: Subscription, signal: AbortSignal) => {
    const { subscription_id } = subscription;
    busy.add(subscription_id);
    await serveSubscription({ ...context, describeSources, signal }, subscription).catch(() => undefined);
    busy.delete(subscription_id);
  };
  return async (signal) => {
    const all = await listSubscriptions(context);
    const free = all.filter(({ subscription_id }) => !busy.has(subscription_id));
    const patience = new AbortController();
    await Promise.race([
      Promise.all(free.map((each) => serve(each, signal))),
      sleep(PATIENCE_MS, undefined, { signal: patience.signal, ref: false }).catch(() => undefined),
    ]);
    patience.abort();
  };
}

interface RoundContext extends AnnouncingContext {
  readonly describeSources: SourceDescriber;
  readonly signal: AbortSignal;
}

async function serveSubscription(context: RoundContext, subscription: Subscription): Promise<void> {
  const { subscription_id } = subscription;
  const before = await getProgress(context, subscription_id);
  const authority = before.is_ended ? undefined : await findAuthority(context, subscription);
  const status = findStatus(subscription, before);
  if (authority && (status === "disabled" || status === "disabled_failure")) return;
  const progress = authority
    ? await prepare(context, authority, subscription, before)
    : endProgress(context, subscription, before);
  if (JSON.stringify(progress) !== JSON.stringify(before))
    await putProgress(context, subscription_id, progress);
  const after = await sendPending(context, subscription, progress);
  if (after.is_ended && after.pending.length === 0) await deleteSubscription(context, subscription_id);
}

/** What the grants allow now; undefined once they have ended. */
async function findAuthority(
  { store, owner_id, now, describeSources }: RoundContext,
  { client_id, grant_ids }: Subscription,
): Promise<Authority | undefined> {
  const found = await Promise.all(grant_ids.map((id) => store.getGrant(owner_id, id)));
  const token = { digest: "", owner_id, kind: "client", client_id, grant_ids, created_at: "" } as const;
  const access = {
    token,
    grants: found.filter((grant) => grant !== undefined),
    connections: await store.listConnections(owner_id),
    exclusions: await store.listExclusions(owner_id),
  };
  try {
    return await authorize(access, describeSources, now());
  } catch (error) {
    if (error instanceof ApiError && /^grant_/.test(error.code)) return undefined;
    throw error;
  }
}

/** Enqueues the messages to send: the verification first, then changes and the requested test. */
async function prepare(
  context: RoundContext,
  authority: Authority,
  subscription: Subscription,
  { failed_at_ms: _, failure: __, ...progress }: Progress,
): Promise<Progress> {
  const now_ms = context.now();
  const { challenge } = subscription;
  if (!progress.is_verified) {
    if (progress.pending.length > 0) return progress;
    const verify = createEvent(subscription, "pdpp.subscription.verify", { challenge }, now_ms);
    return { ...progress, pending: [verify] };
  }
  const lane = subscription.grant_ids.toSorted().join(" ");
  const store = context.store.forCaller({ lane, signal: context.signal });
  const reading = { store, sealer: context.sealer, authority, now_ms };
  const announced = await announceChanges(reading, subscription, progress);
  const test_id = await claimTestMessage(context, subscription.subscription_id);
  if (test_id === undefined) return announced;
  const test = createEvent(subscription, "pdpp.subscription.test", {}, now_ms, test_id);
  return { ...announced, pending: [...announced.pending, test] };
}

/** The last message says that the grant has ended; pending messages are dropped. */
function endProgress({ now }: RoundContext, subscription: Subscription, progress: Progress): Progress {
  if (progress.is_ended) return progress;
  const last = createEvent(subscription, "pdpp.grant.revoked", {}, now());
  const isActive = findStatus(subscription, progress) === "active";
  return { ...progress, is_ended: true, pending: isActive ? [last] : [] };
}

async function sendPending(
  context: RoundContext,
  subscription: Subscription,
  progress: Progress,
): Promise<Progress> {
  let current = progress;
  for (const event of progress.pending) {
    if (event.next_at_ms > context.now() || context.signal.aborted) continue;
    const receipt = await attempt(context, subscription, event);
    const now_ms = context.now();
    const { challenge, subscription_id } = subscription;
    const outcome = readOutcome({ event, receipt, challenge, now_ms, random: Math.random() });
    const others = current.pending.filter(({ id }) => id !== event.id);
    if (outcome.kind === "failed") {
      current = failProgress(current, outcome.reason, now_ms);
    } else if (outcome.kind === "later") {
      current = { ...current, pending: [...others, outcome.event] };
    } else {
      const is_verified = current.is_verified || event.type === "pdpp.subscription.verify";
      current = { ...current, is_verified, pending: others };
    }
    await putProgress(context, subscription_id, current);
    if (outcome.kind === "failed") break;
  }
  return current;
}

/** Once switched on again, the subscription announces what its dropped messages were about. */
function failProgress(progress: Progress, failure: string, failed_at_ms: number): Progress {
  const lost = progress.pending.flatMap(({ about }) =>
    about ? [[formatStreamKey(about), about.since]] : [],
  );
  const positions = { ...progress.positions, ...Object.fromEntries(lost) };
  return { ...progress, positions, pending: [], failure, failed_at_ms };
}

/** Sends a message if the owner still approves of its address. */
async function attempt(
  context: RoundContext,
  subscription: Subscription,
  { id, body, about, attempts }: PendingEvent,
): Promise<Receipt> {
  const { callback_url, client_id, grant_ids } = subscription;
  try {
    await requireCallback(context, callback_url, context.is_local);
  } catch (error) {
    if (error instanceof ApiError) return { text: "" };
    throw error;
  }
  if (about && attempts === 0) {
    const { connection_id, stream } = about;
    await recordEvent(context, "event_sent", { client_id, grant_id: grant_ids[0], connection_id, stream });
  }
  const key = await deriveKey(context, subscription);
  // Loaded on first use: commands that send nothing start without Node's network modules.
  const { sendEvent } = await import("./send-event.ts");
  return sendEvent({ url: callback_url, id, body, key, now_ms: context.now() }, context.signal);
}
