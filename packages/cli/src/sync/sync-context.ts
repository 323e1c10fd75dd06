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
/** The id of a home's first owner. */
const FIRST_OWNER = "owner";

/** Opens the database and calls `work` with what syncs need. */
export function withSyncs<T>(call: CommandCall, work: (context: SyncContext) => Promise<T>): Promise<T> {
  const home = resolveHome(call);
  return asOwner(call, (owner) => work(openSyncContext(owner, home, call.io.env)));
}

/** What the syncs of an owner need. */
export function openSyncContext(
  owner: OwnerContext,
  home: string,
  env: CommandCall["io"]["env"] = process.env,
): SyncContext {
  ensureHome(home);
  const { owner_id } = owner;
  const folder = owner_id === FIRST_OWNER ? [WORK_FOLDER] : [OWNERS_FOLDER, owner_id];
  const keys = { file: join(home, KEY_FILE), keychain: findKeychain(), given: env.RUNGS_SOURCES_KEY };
  return {
    ...owner,
    secrets: createSecretKeeper(keys),
    work_folder: join(home, ...folder),
    planExports: createExportPlanner(owner),
  };
}
