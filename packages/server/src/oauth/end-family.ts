import type { OwnerParts } from "../owner/owner.ts";
import { kindOf } from "./model-kind.ts";

/** Ends a grant with every code and token that ever came of it. The grant goes first: with it, all of them are void. */
export async function endFamily({ store, owner_id }: OwnerParts, grant_id: string): Promise<void> {
  const at = new Date().toISOString();
  await store.revokeGrant(owner_id, grant_id, at);
  const tokens = await store.listState(owner_id, kindOf("AccessToken"));
  for (const { id, bundle } of tokens) if (bundle === grant_id) await store.revokeToken(owner_id, id, at);
  await store.deleteBundle(owner_id, grant_id);
}
