import type { Grant } from "@rungs/contract";
import { bindDigest } from "../../access/dpop.ts";
import { recordEvent } from "../../owner/audit-events.ts";
import type { OwnerContext } from "../../owner/owner-context.ts";
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
  const tokens = await store.listState(owner_id, formatStateKind("AccessToken"));
  for (const { id, bundle, value } of tokens) {
    const { jkt } = value as { jkt?: string };
    if (bundle === grant_id) await store.revokeToken(owner_id, bindDigest(id, jkt), at);
  }
  await store.deleteBundle(owner_id, grant_id);
  if (!isFirst || why === undefined) return;
  const client_id = (await store.getGrant(owner_id, grant_id))?.grant.client.client_id;
  await recordEvent(owner, why, { client_id, grant_id });
}

/** The owner's grant with this id, unless it was revoked. */
export async function findGrant(
  { store, owner_id }: OwnerContext,
  grant_id: string | undefined,
): Promise<Grant | undefined> {
  const found = grant_id === undefined ? undefined : await store.getGrant(owner_id, grant_id);
  return found?.revoked_at === undefined ? found?.grant : undefined;
}
