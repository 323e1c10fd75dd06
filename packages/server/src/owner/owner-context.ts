import type { Store } from "@rungs/store";

/** What every owner function needs: the store, the owner and the clock. */
export interface OwnerContext {
  readonly store: Store;
  readonly owner_id: string;
  readonly now: () => number;
}

/** The owner id of the program's own row. */
export const PROGRAM_ID = "";

/**
 * The program in place of an owner: for what is stored before it is known whose data a caller will read, such as clients,
 * sign-in links and invitations.
 */
export function asProgram<Context extends OwnerContext>(context: Context): Context {
  return { ...context, owner_id: PROGRAM_ID };
}

/** The first owner of a store, usually the only one; created on first use. */
export async function ensureOwner(store: Store): Promise<string> {
  const [known] = await store.listOwners();
  if (known !== undefined) return known;
  const owner_id = "owner";
  await store.putOwner(owner_id);
  return owner_id;
}
