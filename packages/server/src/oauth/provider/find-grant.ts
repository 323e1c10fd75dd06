import type { Grant } from "@rungs/contract";
import type { OwnerParts } from "../../owner/owner-context.ts";

/** The owner's grant of this id, if it stands. */
export async function findGrant(
  { store, owner_id }: OwnerParts,
  grant_id: string | undefined,
): Promise<Grant | undefined> {
  const found = grant_id === undefined ? undefined : await store.getGrant(owner_id, grant_id);
  return found?.revoked_at === undefined ? found?.grant : undefined;
}
