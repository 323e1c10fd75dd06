import { join } from "node:path";
import { createSecretKeeper, findKeychain, type SyncContext } from "@rungs/sources";
import type { CommandCall } from "../command/command.ts";
import { asOwner } from "../home/database.ts";
import { ensureHome, resolveHome } from "../home/home.ts";
import { createExportPlanner } from "./plan-exports.ts";

const KEY_FILE = "sources.key";
const WORK_FOLDER = "syncs";

/** Opens the database and calls `work` with what syncs need. */
export function withSyncs<T>(call: CommandCall, work: (context: SyncContext) => Promise<T>): Promise<T> {
  const services = openSyncServices(resolveHome(call));
  return asOwner(call, (owner) => work({ ...owner, ...services, planExports: createExportPlanner(owner) }));
}

/** What syncs need of the data directory, wherever the database is: the key of their secrets, and their folders. */
export function openSyncServices(home: string): Pick<SyncContext, "secrets" | "work_folder"> {
  ensureHome(home);
  return {
    secrets: createSecretKeeper(join(home, KEY_FILE), findKeychain()),
    work_folder: join(home, WORK_FOLDER),
  };
}
