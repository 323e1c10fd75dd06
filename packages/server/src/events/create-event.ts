/** Messages as CloudEvents 1.0, in the protocol's profile. */
import { operations } from "@rungs/contract";
import { createEventId, type PendingEvent, type Subscription } from "./subscriptions.ts";

/** What a message can be about. */
type EventType =
  | "pdpp.subscription.verify"
  | "pdpp.subscription.test"
  | "pdpp.records.changed"
  | "pdpp.grant.revoked";

/** Creates a message that is due at once. */
export function createEvent(
  { subscription_id }: Subscription,
  type: EventType,
  data: object,
  now_ms: number,
  id = createEventId(),
): PendingEvent {
  const body = JSON.stringify({
    specversion: "1.0",
    id,
    type,
    source: `${operations.list_event_subscriptions.path}/${subscription_id}`,
    time: new Date(now_ms).toISOString(),
    datacontenttype: "application/json",
    pdppversion: "1",
    data: { subscription_id, ...data },
  });
  return { id, type, body, attempts: 0, first_at_ms: now_ms, next_at_ms: now_ms };
}
