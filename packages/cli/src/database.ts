import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiError } from "@rungs/contract";
import { Refusal } from "@rungs/evidence";
import { ensureOwner, type OwnerParts } from "@rungs/server";
import type { Store } from "@rungs/store";
import { openPostgres } from "@rungs/store/postgres";
import { openSqlite } from "@rungs/store/sqlite";
import type { CommandCall } from "./command.ts";
import { ensureHome, homeOf } from "./home.ts";

/** Opens the database that a command line names: the only place that knows which engines there are. */
export async function openStore(call: CommandCall): Promise<Store> {
  const named = call.option("database") ?? call.io.env.RUNGS_DATABASE;
  if (named !== undefined && /^postgres(?:ql)?:\/\//.test(named)) return reaching(() => openPostgres(named));
  if (named !== undefined) return reaching(() => openSqlite(fileOf(named)));
  const home = homeOf(call);
  ensureHome(home);
  return reaching(() => openSqlite(join(home, "rungs.db")));
}

/** Opens the database, does the owner's work, and closes it again. */
export async function asOwner<T>(call: CommandCall, work: (parts: OwnerParts) => Promise<T>): Promise<T> {
  const store = await openStore(call);
  try {
    return await work({ store, owner_id: await ensureOwner(store), now: Date.now });
  } finally {
    await store.close();
  }
}

function fileOf(named: string): string {
  if (named.startsWith("file:")) return fileURLToPath(named);
  return named.replace(/^sqlite:(?:\/\/)?/, "");
}

/** What the engine says about a database that it cannot open is for its owner to read. */
async function reaching(open: () => Promise<Store>): Promise<Store> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const reason =
      error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error);
    throw new ApiError("database_unavailable", {
      message: `The database cannot be opened (${reason}).`,
      next: "Check --database, and that the database is running.",
    });
  }
}
