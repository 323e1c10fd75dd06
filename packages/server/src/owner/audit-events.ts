/** Owner events in the audit log, next to the reads: sign-ins, tokens, grants and consents. No content and no secret. */

import { randomBytes } from "node:crypto";
import type { AuditFilter, StoredAuditEntry } from "@rungs/store";
import type { OwnerContext } from "./owner-context.ts";

/** The client id of what the owner does, other than on the pages of the console. */
export const OWNER_CLIENT = "owner";

/** Each event with the status of its entry, and the predicate that describes what happened to the entry's client. */
const events = {
  sign_in: { status: 200, words: "signed in" },
  sign_in_failed: { status: 401, words: "failed to sign in: wrong password" },
  passkey_refused: { status: 401, words: "failed to sign in: passkey not accepted" },
  session_ended: { status: 200, words: "ended a session" },
  password_set: { status: 200, words: "set the password" },
  password_removed: { status: 200, words: "removed the password" },
  passkey_added: { status: 200, words: "added a passkey" },
  passkey_removed: { status: 200, words: "removed a passkey" },
  embeddings_chosen: { status: 200, words: "chose what compares texts by meaning" },
  embeddings_service_chosen: { status: 200, words: "chose a service that compares texts by meaning" },
  token_created: { status: 200, words: "got a token" },
  credential_created: { status: 200, words: "got an introspection credential" },
  token_revoked: { status: 200, words: "lost a token" },
  grant_created: { status: 200, words: "got a grant" },
  grant_changed: { status: 200, words: "got another scope for its grant" },
  grant_revoked: { status: 200, words: "lost its grant" },
  grant_returned: { status: 200, words: "returned its grant" },
  consent_given: { status: 200, words: "asked for access and got a grant" },
  consent_refused: { status: 403, words: "asked for access and was refused" },
  records_previewed: { status: 200, words: "looked at sample records of a grant" },
  exclusion_added: { status: 200, words: "hid data from every client" },
  exclusion_removed: { status: 200, words: "stopped hiding data" },
  event_address_allowed: { status: 200, words: "approved an address for messages" },
  event_address_forbidden: { status: 200, words: "withdrew an address for messages" },
  event_sent: { status: 200, words: "was told that granted data changed" },
  records_deleted: { status: 200, words: "deleted records" },
  connection_renamed: { status: 200, words: "renamed a connection" },
  connection_deleted: { status: 200, words: "deleted a connection" },
  owner_invited: { status: 200, words: "was invited" },
  invitation_withdrawn: { status: 200, words: "is not invited any more" },
  owner_joined: { status: 200, words: "joined" },
  owner_changed: { status: 200, words: "got another quota or role" },
  owner_removed: { status: 200, words: "was removed with everything" },
  backup_restored: { status: 200, words: "restored a backup" },
  token_reused: { status: 400, words: "used a code or token twice, which ended its grant" },
} as const;

/** The name of an owner event, stored as the entry's operation. */
export type OwnerEvent = keyof typeof events;

/** What an event is about: a client (the owner when undefined), or data. */
interface EventSubject {
  readonly client_id?: string | undefined;
  readonly grant_id?: string | undefined;
  readonly connection_id?: string | undefined;
  readonly stream?: string | undefined;
  readonly records?: number | undefined;
}

/** Appends an event to the audit log; resolves once it is stored. */
export async function recordEvent(
  { store, owner_id, now }: OwnerContext,
  event: OwnerEvent,
  { client_id = OWNER_CLIENT, ...subject }: EventSubject = {},
): Promise<void> {
  const at = new Date(now()).toISOString();
  const request_id = `event_${randomBytes(12).toString("base64url")}`;
  const { status } = events[event];
  const row = { at, request_id, client_id, ...subject, operation: event, status, bytes: 0 };
  await store.appendAudit(owner_id, [row]);
}

/** Appends what one of the owner's pages counted, as a read by the owner; resolves once it is stored. */
export async function recordAggregate(
  { store, owner_id, now }: OwnerContext,
  counted: {
    readonly connection_id: string;
    readonly stream?: string | undefined;
    readonly field?: string | undefined;
    readonly records: number;
  },
): Promise<void> {
  const at = new Date(now()).toISOString();
  const request_id = `event_${randomBytes(12).toString("base64url")}`;
  const row = { at, request_id, client_id: OWNER_CLIENT, operation: "aggregate", status: 200, bytes: 0 };
  await store.appendAudit(owner_id, [{ ...row, ...counted }]);
}

/** Describes what happened to an entry's client; undefined when the entry is a read. */
export function describeEvent(operation: string): string | undefined {
  return Object.hasOwn(events, operation) ? events[operation as OwnerEvent].words : undefined;
}

/** Lists the audit log, newest first: who read what and when, and the owner events (R55). */
export function listAudit(
  { store, owner_id }: Pick<OwnerContext, "store" | "owner_id">,
  filter: AuditFilter,
): Promise<StoredAuditEntry[]> {
  return store.listAudit(owner_id, filter);
}
