import type { StreamSize } from "@rungs/store";
import { recordAggregate } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";

export type { StreamSize };

/** How much space the streams of a connection take: sums of bytes, audited like a read of the owner's. */
export async function measureSource(owner: OwnerContext, connection_id: string): Promise<StreamSize[]> {
  const sizes = await owner.store.measureStreams(owner.owner_id, connection_id);
  for (const { stream, measured_records: records } of sizes)
    await recordAggregate(owner, { connection_id, stream, records });
  return sizes;
}
