import type { Store } from "@rungs/store";

/** Whose syncs run, and where. */
export interface SyncOwner {
  readonly store: Store;
  readonly owner_id: string;
  readonly now: () => number;
}
