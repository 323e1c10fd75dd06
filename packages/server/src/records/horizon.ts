import type { ReadScope } from "@rungs/contract";
import type { Store } from "@rungs/store";
import type { StreamName } from "../access/authority.ts";

/** The owner's position in the change log. Asks for changes after the end of time: there are none, and the answer carries the horizon. */
export async function readHorizon(
  store: Store,
  scope: ReadScope,
  { connection_id, stream }: StreamName,
): Promise<number> {
  const since = Number.MAX_SAFE_INTEGER;
  const { horizon } = await store.listChanges(scope, { connection_id, stream, since, limit: 1 });
  return horizon;
}
