/** What was read under a grant, and how much space a source uses. */
import type { GrantUsage, StreamSize } from "@rungs/store";
import { toDay } from "../access/budget.ts";
import { recordAggregate } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";

export type { StreamSize };

/** What was read under a grant that has a budget: today (in UTC) and in all (R83). */
export function readUsage({ store, owner_id, now }: OwnerContext, grant_id: string): Promise<GrantUsage> {
  return store.getUsage(owner_id, grant_id, toDay(now()));
}

/** How much space the streams of a connection use: sums of bytes, audited like one of the owner's reads. */
export async function measureSource(owner: OwnerContext, connection_id: string): Promise<StreamSize[]> {
  const sizes = await owner.store.measureStreams(owner.owner_id, connection_id);
  for (const { stream, measured_records: records } of sizes)
    await recordAggregate(owner, { connection_id, stream, records });
  return sizes;
}
