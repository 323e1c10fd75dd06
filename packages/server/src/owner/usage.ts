import type { GrantUsage } from "@rungs/store";
import { toDay } from "../access/budget.ts";
import type { OwnerContext } from "./owner-context.ts";

/** What was read under a grant that has a budget: today (in UTC) and in all (R83). */
export function readUsage({ store, owner_id, now }: OwnerContext, grant_id: string): Promise<GrantUsage> {
  return store.getUsage(owner_id, grant_id, toDay(now()));
}
