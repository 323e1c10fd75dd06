import type { Store } from "@rungs/store";

/** Whose data an owner's function is about, and when. */
export interface OwnerContext {
  readonly store: Store;
  readonly owner_id: string;
  readonly now: () => number;
}

/** The owner of a store that one person uses; made the first time. */
export async function ensureOwner(store: Store): Promise<string> {
  const [known] = await store.listOwners();
  if (known !== undefined) return known;
  const owner_id = "owner";
  await store.putOwner(owner_id);
  return owner_id;
}
