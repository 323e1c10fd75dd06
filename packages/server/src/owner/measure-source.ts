import type { StreamSize } from "@rungs/store";
import type { OwnerContext } from "./owner-context.ts";

export type { StreamSize };

/** How much space the streams of a connection take: sums of bytes, no content, so the audit log has no row for it. */
export function measureSource(
  { store, owner_id }: OwnerContext,
  connection_id: string,
): Promise<StreamSize[]> {
  return store.measureStreams(owner_id, connection_id);
}
