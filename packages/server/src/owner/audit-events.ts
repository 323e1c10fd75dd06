/** What happens to the owner's control, in the audit trail beside the reads: no content, no secret, nothing that opens anything. */

import { randomBytes } from "node:crypto";
import type { AuditFilter, StoredAuditEntry } from "@rungs/store";
import type { OwnerContext } from "./owner-context.ts";

/** Each event with the status of its row, and what is said of the row's client. */
const events = {
  sign_in: { status: 200, words: "signed in" },
  sign_in_failed: { status: 401, words: "did not get in: the password was wrong" },
  session_ended: { status: 200, words: "ended a session" },
  password_set: { status: 200, words: "set the password" },
  password_removed: { status: 200, words: "removed the password" },
  token_created: { status: 200, words: "got a token" },
  credential_created: { status: 200, words: "got a credential for introspection" },
  token_revoked: { status: 200, words: "lost a token" },
  grant_created: { status: 200, words: "got a grant" },
  grant_revoked: { status: 200, words: "lost its grant" },
  grant_returned: { status: 200, words: "gave its grant back" },
  consent_given: { status: 200, words: "asked, and got a grant" },
  consent_refused: { status: 403, words: "asked, and got nothing" },
  token_reused: { status: 400, words: "used a code or token twice, which ended its grant" },
} as const;

/** What can happen to the owner's control. */
export type OwnerEvent = keyof typeof events;

/** Whom an event is about: the owner when nobody is named. */
interface EventSubject {
  readonly client_id?: string | undefined;
  readonly grant_id?: string | undefined;
}

/** Writes an event down; done when it is stored. */
export async function recordEvent(
  { store, owner_id, now }: OwnerContext,
  event: OwnerEvent,
  { client_id = "owner", grant_id }: EventSubject = {},
): Promise<void> {
  const at = new Date(now()).toISOString();
  const request_id = `event_${randomBytes(12).toString("base64url")}`;
  const { status } = events[event];
  const row = { at, request_id, client_id, grant_id, operation: event, status, bytes: 0 };
  await store.appendAudit(owner_id, [row]);
}

/** What is said of a row's client when the row is an event; undefined for a read. */
export function describeEvent(operation: string): string | undefined {
  return Object.hasOwn(events, operation) ? events[operation as OwnerEvent].words : undefined;
}

/** Who read what and when, and what became of the owner's control, newest first (R55). */
export function listAudit(
  { store, owner_id }: Pick<OwnerContext, "store" | "owner_id">,
  filter: AuditFilter,
): Promise<StoredAuditEntry[]> {
  return store.listAudit(owner_id, filter);
}
