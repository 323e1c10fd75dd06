import { join } from "node:path";
import type { OwnerContext } from "@rungs/server";
import { createSecretKeeper, findKeychain, type SyncContext } from "@rungs/sources";
import type { CommandCall } from "../command/command.ts";
import { asOwner } from "../home/database.ts";
import { ensureHome, resolveHome } from "../home/home.ts";
import { createExportPlanner } from "./plan-exports.ts";

const KEY_FILE = "sources.key";
const WORK_FOLDER = "syncs";
/** Those of owners who were invited: two owners may have a sync of the same name. */
const OWNERS_FOLDER = "owner-syncs";
/** The owner of a home is called so. */
const FIRST_OWNER = "owner";

/** Opens the database and calls `work` with what syncs need. */
export function withSyncs<T>(call: CommandCall, work: (context: SyncContext) => Promise<T>): Promise<T> {
  const home = resolveHome(call);
  return asOwner(call, (owner) => work(openSyncContext(owner, home)));
}

/** What the syncs of an owner need. */
export function openSyncContext(owner: OwnerContext, home: string): SyncContext {
  return { ...owner, ...openSyncServices(home, owner.owner_id), planExports: createExportPlanner(owner) };
}

/** What syncs need of the data directory, wherever the database is: the key of their secrets, and their folders. */
function openSyncServices(home: string, owner_id: string): Pick<SyncContext, "secrets" | "work_folder"> {
  ensureHome(home);
  const folder = owner_id === FIRST_OWNER ? [WORK_FOLDER] : [OWNERS_FOLDER, owner_id];
  return {
    secrets: createSecretKeeper(join(home, KEY_FILE), findKeychain()),
    work_folder: join(home, ...folder),
  };
}
