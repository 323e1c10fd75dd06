import type { SyncDesk } from "@rungs/console";
import type { OwnerContext } from "@rungs/server";
import { addSync, listRuns, listSyncs, pauseSync, removeSync, runSoon } from "@rungs/sources";
import { openSyncContext } from "./sync-context.ts";

/** What the console does with syncs, exactly as `rungs sync` does. */
export function createSyncDesk(owner: OwnerContext, home: string): SyncDesk {
  const context = openSyncContext(owner, home);
  return {
    list: () => listSyncs(context),
    listRuns: (sync_id) => listRuns(context, sync_id),
    add: async (request) => (await addSync(context, request)).sync_id,
    run: (sync_id) => runSoon(context, sync_id),
    pause: (sync_id, is_paused) => pauseSync(context, sync_id, is_paused),
    remove: (sync_id) => removeSync(context, sync_id),
  };
}
