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

const DATABASE_FILE = "rungs.db";

/** Where a database is. */
export type DatabasePlace =
  | { readonly kind: "sqlite"; readonly file: string; readonly home?: string }
  | { readonly kind: "postgres"; readonly url: string };

/** The database that a command line, its environment or nobody names. */
export function placeOf(call: CommandCall): DatabasePlace {
  const named = call.option("database") ?? call.io.env.RUNGS_DATABASE;
  if (named !== undefined && /^postgres(?:ql)?:\/\//.test(named)) return { kind: "postgres", url: named };
  if (named !== undefined) return { kind: "sqlite", file: fileOf(named) };
  const home = homeOf(call);
  return { kind: "sqlite", file: join(home, DATABASE_FILE), home };
}

/** Opens the database that a command line names: the only place that knows which engines there are. */
export async function openStore(call: CommandCall): Promise<Store> {
  const place = placeOf(call);
  if (place.kind === "postgres") return reaching(() => openPostgres(place.url));
  return place.home === undefined ? openFile(place.file) : openHome(place.home);
}

/** Opens a database of SQLite; makes it the first time. */
export function openFile(file: string): Promise<Store> {
  return reaching(() => openSqlite(file));
}

/** Opens the database that a home keeps for itself; makes both the first time. */
export function openHome(home: string): Promise<Store> {
  ensureHome(home);
  return openFile(join(home, DATABASE_FILE));
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
