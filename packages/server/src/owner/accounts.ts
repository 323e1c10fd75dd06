/**
 * Owners of a server, for its administrator: invitations, quotas, roles, removal. The administrator sees names, sizes and
 * states, and none of an owner's data. What the administrator does is in the program's audit log.
 */
import { ApiError } from "@rungs/contract";
import type { OwnerAccount, OwnerQuota } from "@rungs/store";
import { createToken, digestToken } from "../access/tokens.ts";
import { type OwnerEvent, recordEvent } from "./audit-events.ts";
import { asProgram, ensureOwner, type OwnerContext } from "./owner-context.ts";
import { forgetPasskeyOwner, listPasskeys } from "./passkeys.ts";
import { makePassword, requireLongPassword } from "./password.ts";
import { startSession } from "./sessions.ts";
import { listTokens, revokeToken } from "./token-list.ts";

const KIND = "invitation";
const DAY_MS = 24 * 60 * 60 * 1000;
/** A name in files, on command lines and for people: short, lower-case, and never a path. */
const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;

/** How long an invitation works. */
export const INVITATION_MS = 7 * DAY_MS;

/** An invitation that nobody has used yet. */
export interface Invitation {
  readonly owner_id: string;
  readonly quota: OwnerQuota;
  readonly expires_at: string;
}

/** What the administrator sees: owners and open invitations. */
export interface OwnerList {
  readonly owners: readonly OwnerAccount[];
  readonly invitations: readonly Invitation[];
}

/** Whether the server has several owners. */
export async function hasSeveralOwners({ store }: Pick<OwnerContext, "store">): Promise<boolean> {
  return (await store.listOwners()).length > 1;
}

/** An owner's account; refused for a name that nobody has. */
export function requireAccount({ store }: OwnerContext, owner_id: string): Promise<OwnerAccount> {
  return store.getAccount(owner_id);
}

/**
 * Whether an owner runs the server: the first owner, while an administrator. An invited administrator does not: the
 * disk may hold other owners' files.
 */
export async function runsServer({ store, owner_id }: OwnerContext): Promise<boolean> {
  return owner_id === (await ensureOwner(store)) && (await store.getAccount(owner_id)).is_admin;
}

/** Throws unless the signed-in owner administers the server; says nothing about other owners. */
export async function requireAdmin({ store, owner_id }: OwnerContext): Promise<void> {
  if ((await store.getAccount(owner_id)).is_admin) return;
  throw new ApiError("not_found", {
    message: "There is no such page.",
    next: "Start from the first page.",
  });
}

export async function listOwners(context: OwnerContext): Promise<OwnerList> {
  return { owners: await context.store.listAccounts(), invitations: await listInvitations(context) };
}

/** Creates a one-time link with which somebody becomes an owner of the server at `base_url`; a former link of the same name ends. */
export async function inviteOwner(
  context: OwnerContext,
  {
    name,
    quota = {},
    base_url,
    lasts_ms = INVITATION_MS,
  }: {
    readonly name: string;
    readonly quota?: OwnerQuota | undefined;
    readonly base_url: string;
    readonly lasts_ms?: number | undefined;
  },
): Promise<{ readonly url: string; readonly expires_at: string }> {
  if (!NAME.test(name))
    throw new ApiError("invalid_request", {
      param: "name",
      message: "A name has 1 to 64 small letters, digits, dots, dashes and underscores.",
      next: "Choose another name, such as ada.",
    });
  const { store, now } = context;
  if ((await store.listOwners()).includes(name)) throw createTaken();
  await withdrawInvitation(context, name);
  const code = createToken();
  const expires_at_ms = now() + lasts_ms;
  const value = { owner_id: name, quota };
  await recordAs(context, "owner_invited", name);
  await store.putState(asProgram(context).owner_id, {
    kind: KIND,
    id: digestToken(code),
    value,
    expires_at_ms,
  });
  return { url: `${base_url}/console/join?code=${code}`, expires_at: new Date(expires_at_ms).toISOString() };
}

/** Ends an open invitation; false when there is none. */
export async function withdrawInvitation(context: OwnerContext, name: string): Promise<boolean> {
  const { store, owner_id: program } = asProgram(context);
  const open = (await store.listState(program, KIND)).filter(
    ({ value }) => (value as Invitation).owner_id === name,
  );
  for (const { id } of open) await store.deleteState(program, KIND, id);
  if (open.length > 0) await recordAs(context, "invitation_withdrawn", name);
  return open.length > 0;
}

/** The name that an invitation is for; undefined when the link was used or withdrawn, or is too old. */
export async function findInvited(context: OwnerContext, code: string): Promise<string | undefined> {
  const state = await context.store.getState(asProgram(context).owner_id, KIND, digestToken(code));
  return (state?.value as Invitation | undefined)?.owner_id;
}

/** Turns the holder of an invitation, who chooses a password, into an owner, and signs them in. Works once. */
export async function acceptInvitation(
  context: OwnerContext,
  { code, password, agent }: { readonly code: string; readonly password: string; readonly agent: string },
): Promise<string> {
  requireLongPassword(password);
  const { store, now } = context;
  const taken = await store.takeState(asProgram(context).owner_id, KIND, digestToken(code));
  if (!taken)
    throw new ApiError("invalid_token", {
      message: "The invitation was used before, was withdrawn, or is too old.",
      next: "Ask the administrator of this server for another one.",
    });
  const { owner_id, quota } = taken.value as Invitation;
  const created_at = new Date(now()).toISOString();
  // Set the password in the same transaction: a server killed in between would leave an owner who cannot sign in, and a
  // name that cannot be reused.
  if (!(await store.addOwner({ owner_id, created_at, quota }, [await makePassword(password)])))
    throw createTaken();
  const owner = { store, now, owner_id };
  await recordAs(context, "owner_joined", owner_id);
  await recordEvent(owner, "password_set");
  return startSession(owner, agent);
}

/** Changes what an owner may use, or whether the owner administers the server. */
export async function changeOwner(
  context: OwnerContext,
  name: string,
  change: Partial<Pick<OwnerAccount, "is_admin" | "quota">>,
): Promise<OwnerAccount> {
  const account = await context.store.changeAccount(name, change);
  await recordAs(context, "owner_changed", name);
  return account;
}

/** Removes an owner: ends sessions, tokens and grants first, then deletes everything that the owner had. */
export async function removeOwner(context: OwnerContext, name: string): Promise<void> {
  const { store, now } = context;
  const owner = { store, now, owner_id: name };
  const { owner_id: program } = asProgram(context);
  const grants = await store.listGrants(name);
  for (const { token_id, is_live } of await listTokens(owner))
    if (is_live) await revokeToken(owner, token_id);
  for (const { grant } of grants) await store.deleteBundle(program, grant.grant_id);
  for (const { passkey_id } of await listPasskeys(owner)) await forgetPasskeyOwner(owner, passkey_id);
  await store.removeOwner(name);
  await recordAs(context, "owner_removed", name);
}

async function listInvitations(context: OwnerContext): Promise<Invitation[]> {
  const states = await context.store.listState(asProgram(context).owner_id, KIND);
  return states.map(({ value, expires_at_ms = 0 }) => ({
    ...(value as Invitation),
    expires_at: new Date(expires_at_ms).toISOString(),
  }));
}

function recordAs(context: OwnerContext, event: OwnerEvent, client_id: string): Promise<void> {
  return recordEvent(asProgram(context), event, { client_id });
}

function createTaken(): ApiError {
  return new ApiError("invalid_request", {
    param: "name",
    message: "There is an owner of this name, or there was one.",
    next: "Choose another name.",
  });
}
