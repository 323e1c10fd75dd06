import { join } from "node:path";
import { createSecretKeeper, type SecretKeeper, type SyncContext } from "@rungs/sources";
import type { CommandCall } from "../command/command.ts";
import { asOwner } from "../home/database.ts";
import { ensureHome, resolveHome } from "../home/home.ts";

const KEY_FILE = "sources.key";

/** Opens the database and calls `work` with what syncs need. */
export function withSyncs<T>(call: CommandCall, work: (context: SyncContext) => Promise<T>): Promise<T> {
  const secrets = openSecrets(resolveHome(call));
  return asOwner(call, (owner) => work({ ...owner, secrets }));
}

/** What opens the secrets of sources: the key is a file in the data directory, wherever the database is. */
export function openSecrets(home: string): SecretKeeper {
  ensureHome(home);
  return createSecretKeeper(join(home, KEY_FILE));
}
