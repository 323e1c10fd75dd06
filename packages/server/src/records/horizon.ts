/** Positions in the change log, as a scope sees them. */
import { ApiError, type ReadScope } from "@rungs/contract";
import type { Store } from "@rungs/store";
import type { StreamName } from "../access/authority.ts";

/** How far the log may advance outside the scope before an idle position catches up. */
const FOLLOW = 1_000;

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

/**
 * Whether listing the changes would list something, and from where to look next. A position that is too old counts as a change:
 * its cursor tells the client to start over.
 */
export async function findChange(
  store: Store,
  scope: ReadScope,
  name: StreamName,
  since: number,
): Promise<{ readonly hasChanged: boolean; readonly position: number }> {
  try {
    const { connection_id, stream } = name;
    const { changes, horizon } = await store.listChanges(scope, { connection_id, stream, since, limit: 1 });
    const hasChanged = changes.length > 0;
    return { hasChanged, position: hasChanged || horizon > since + FOLLOW ? horizon : since };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "cursor_expired") throw error;
    return { hasChanged: true, position: await readHorizon(store, scope, name) };
  }
}
