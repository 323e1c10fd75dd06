/** Credentials with which separate resource servers introspect tokens (RFC 7662). */
import type { State } from "@rungs/store";
import { createToken, digestToken } from "../access/tokens.ts";
import { recordEvent } from "./audit-events.ts";
import { asProgram, ensureOwner, type OwnerContext } from "./owner-context.ts";
import { OWNER_TOKEN_MS } from "./tokens.ts";

const KIND = "oauth.Introspector";

/** The credential of a resource server; the secret is shown only once. */
export interface IntrospectionCredential {
  readonly client_id: string;
  readonly client_secret: string;
}

/** A valid credential. */
export interface Introspector {
  readonly digest: string;
  readonly owner_id: string;
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
  const value = { client_id, owner_id, created_at: new Date(now()).toISOString() };
  await recordEvent(owner, "credential_created", { client_id });
  await store.putState(asProgram(owner).owner_id, {
    kind: KIND,
    id: digestToken(client_secret),
    value,
    expires_at_ms,
  });
  return { client_id, client_secret };
}

/** The owner who made a credential; undefined when it is not valid. */
export async function findIntrospecting(
  context: OwnerContext,
  { client_id, client_secret }: IntrospectionCredential,
): Promise<string | undefined> {
  const { store } = context;
  const state = await store.getState(asProgram(context).owner_id, KIND, digestToken(client_secret));
  const found = state && describe(state, await ensureOwner(store));
  return found?.client_id === client_id ? found.owner_id : undefined;
}

/** Lists every valid credential of an owner. */
export async function listIntrospectors(owner: OwnerContext): Promise<Introspector[]> {
  const first_owner = await ensureOwner(owner.store);
  const all = await owner.store.listState(asProgram(owner).owner_id, KIND);
  return all
    .map((state) => describe(state, first_owner))
    .filter(({ owner_id }) => owner_id === owner.owner_id);
}

/** Ends a credential. */
export async function endIntrospector(owner: OwnerContext, digest: string): Promise<void> {
  await owner.store.deleteState(asProgram(owner).owner_id, KIND, digest);
}

/** Credentials of older versions are the first owner's. */
function describe({ id: digest, value, expires_at_ms }: State, first_owner: string): Introspector {
  const expires_at = expires_at_ms === undefined ? undefined : new Date(expires_at_ms).toISOString();
  // Only this file writes state of this kind.
  const stored = value as Pick<Introspector, "client_id" | "created_at"> & Partial<Introspector>;
  return { digest, ...stored, owner_id: stored.owner_id ?? first_owner, expires_at };
}
