/** Credentials with which separate resource servers introspect tokens (RFC 7662). */
import type { State } from "@rungs/store";
import { createToken, digestToken } from "../access/bearer.ts";
import { recordEvent } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";
import { OWNER_TOKEN_MS } from "./tokens.ts";

const KIND = "oauth.Introspector";

/** What a resource server authenticates with; the secret is shown only once. */
export interface IntrospectionCredential {
  readonly client_id: string;
  readonly client_secret: string;
}

/** A valid credential. */
export interface Introspector {
  readonly digest: string;
  readonly client_id: string;
  /** Missing in credentials of older versions, which do not expire either. */
  readonly created_at?: string | undefined;
  readonly expires_at?: string | undefined;
}

/** Creates a credential for a resource server; stores only its digest. */
export async function createIntrospectionCredential(
  owner: OwnerContext,
  client_id: string,
  expires_at_ms = owner.now() + OWNER_TOKEN_MS,
): Promise<IntrospectionCredential> {
  const { store, owner_id, now } = owner;
  const client_secret = createToken();
  const value = { client_id, created_at: new Date(now()).toISOString() };
  await recordEvent(owner, "credential_created", { client_id });
  await store.putState(owner_id, { kind: KIND, id: digestToken(client_secret), value, expires_at_ms });
  return { client_id, client_secret };
}

/** Whether a credential is valid. */
export async function isIntrospector(
  { store, owner_id }: OwnerContext,
  { client_id, client_secret }: IntrospectionCredential,
): Promise<boolean> {
  const state = await store.getState(owner_id, KIND, digestToken(client_secret));
  return state !== undefined && describe(state).client_id === client_id;
}

/** Lists every valid credential. */
export async function listIntrospectors({ store, owner_id }: OwnerContext): Promise<Introspector[]> {
  return (await store.listState(owner_id, KIND)).map(describe);
}

/** Ends a credential; false when there is none. */
export async function endIntrospector({ store, owner_id }: OwnerContext, digest: string): Promise<boolean> {
  return (await store.takeState(owner_id, KIND, digest)) !== undefined;
}

function describe({ id: digest, value, expires_at_ms }: State): Introspector {
  const expires_at = expires_at_ms === undefined ? undefined : new Date(expires_at_ms).toISOString();
  // Only this file writes state of this kind.
  return { digest, ...(value as Pick<Introspector, "client_id" | "created_at">), expires_at };
}
