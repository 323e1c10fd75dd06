import type { Store } from "@rungs/store";

/** What every owner function needs: the store, the owner and the clock. */
export interface OwnerContext {
  readonly store: Store;
  readonly owner_id: string;
  readonly now: () => number;
}

/** The owner of a single-owner store; created the first time. */
export async function ensureOwner(store: Store): Promise<string> {
  const [known] = await store.listOwners();
  if (known !== undefined) return known;
  const owner_id = "owner";
  await store.putOwner(owner_id);
  return owner_id;
}
