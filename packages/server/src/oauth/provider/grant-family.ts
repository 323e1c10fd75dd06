import type { Grant } from "@rungs/contract";
import { bindDigest, digestToken } from "../../access/tokens.ts";
import { recordEvent } from "../../owner/audit-events.ts";
import { asProgram, type OwnerContext } from "../../owner/owner-context.ts";
import { formatStateKind } from "./models.ts";

/**
 * Ends a grant with every code and token issued under it. Revokes the grant first, which voids all of them. Records `why`
 * in the audit log, if given and if the grant had not ended before.
 */
export async function endGrantFamily(
  owner: OwnerContext,
  grant_id: string,
  why?: "token_reused" | "grant_returned",
): Promise<void> {
  const { store, owner_id } = owner;
  const at = new Date().toISOString();
  const isFirst = await store.revokeGrant(owner_id, grant_id, at);
  const program = asProgram(owner).owner_id;
  for (const { kind, id, value } of await store.listBundle(program, grant_id)) {
    const { jkt } = value as { jkt?: string };
    if (kind === formatStateKind("AccessToken")) await store.revokeToken(owner_id, bindDigest(id, jkt), at);
  }
  await store.deleteBundle(program, grant_id);
  if (!isFirst || why === undefined) return;
  const client_id = (await store.getGrant(owner_id, grant_id))?.grant.client.client_id;
  await recordEvent(owner, why, { client_id, grant_id });
}

/**
 * The owner of a grant, from the library's copy of it; undefined once that is gone. `context` is the program's: its
 * state has the grants of all owners under unguessable ids.
 */
export async function findGrantOwner(
  context: OwnerContext,
  grant_id: string,
): Promise<OwnerContext | undefined> {
  const { store, owner_id: program } = asProgram(context);
  const kept = await store.getState(program, formatStateKind("Grant"), digestToken(grant_id));
  const account_id = (kept?.value as { accountId?: string } | undefined)?.accountId;
  return account_id === undefined ? undefined : { ...context, owner_id: account_id };
}

/** The owner's grant that belongs to the library's, unless it was revoked. */
export async function findAccountGrant(
  context: OwnerContext,
  kept: { readonly jti: string; readonly accountId?: string | undefined } | undefined,
): Promise<Grant | undefined> {
  const { jti, accountId: owner_id } = kept ?? {};
  return owner_id === undefined ? undefined : findGrant({ ...context, owner_id }, jti);
}

/** The owner's grant with this id, unless it was revoked. */
export async function findGrant(
  { store, owner_id }: OwnerContext,
  grant_id: string | undefined,
): Promise<Grant | undefined> {
  const found = grant_id === undefined ? undefined : await store.getGrant(owner_id, grant_id);
  return found?.revoked_at === undefined ? found?.grant : undefined;
}
