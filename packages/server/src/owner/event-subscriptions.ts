/** The owner's view of subscriptions: what is announced to whom, and ending it. */
import type { EventSubscription } from "@rungs/contract";
import {
  deleteSubscription,
  describeSubscription,
  getProgress,
  listSubscriptions,
  requireSubscription,
} from "../events/subscriptions.ts";
import type { OwnerContext } from "./owner-context.ts";

/** Every subscription of every client. */
export async function listEventSubscriptions(owner: OwnerContext): Promise<EventSubscription[]> {
  const found = await listSubscriptions(owner);
  return Promise.all(
    found.map(async (each) => describeSubscription(each, await getProgress(owner, each.subscription_id))),
  );
}

/** Ends a subscription and drops its pending messages. Throws `not_found` when there is none. */
export async function endEventSubscription(owner: OwnerContext, subscription_id: string): Promise<void> {
  await requireSubscription(owner, subscription_id, () => true);
  await deleteSubscription(owner, subscription_id);
}
