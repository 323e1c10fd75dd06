import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiError } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import { ensureOwner, type OwnerContext } from "@rungs/server";
import type { Store } from "@rungs/store";
import type { CommandCall } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { isDiskFull } from "../command/system-failure.ts";
import { ensureHome, homeOf } from "./home.ts";

const DATABASE_FILE = "rungs.db";

/** Where a database is. */
export type DatabasePlace =
  | { readonly kind: "sqlite"; readonly file: string; readonly home?: string }
  | { readonly kind: "postgres"; readonly url: string };

/** The database that a command line, its environment or nobody names. */
export function placeOf(call: CommandCall): DatabasePlace {
  const named = call.option("database") ?? call.io.env.RUNGS_DATABASE;
  if (named !== undefined) return parsePlace(named);
  const home = homeOf(call);
  return { kind: "sqlite", file: join(home, DATABASE_FILE), home };
}

/** Reads where a database is: `postgres://…`, or a file. */
export function parsePlace(named: string): DatabasePlace {
  if (/^postgres(?:ql)?:\/\//.test(named)) return { kind: "postgres", url: named };
  return { kind: "sqlite", file: fileOf(named) };
}

/** Opens the database that a command line names. */
export async function openStore(call: CommandCall): Promise<Store> {
  return openPlace(placeOf(call));
}

/** Opens a database: the only place that knows which engines there are. */
export async function openPlace(place: DatabasePlace): Promise<Store> {
  if (place.kind === "postgres") return openUrl(place.url);
  return place.home === undefined ? openFile(place.file) : openHome(place.home);
}

/** Opens a database of SQLite; makes it the first time. */
export function openFile(file: string): Promise<Store> {
  return reaching(async () => (await import("@rungs/store/sqlite")).openSqlite(file));
}

/** Opens a database of PostgreSQL; makes its tables the first time. The engine that is not used is not loaded. */
function openUrl(url: string): Promise<Store> {
  return reaching(async () => (await import("@rungs/store/postgres")).openPostgres(url));
}

/** Opens the database that a home keeps for itself; makes both the first time. */
export function openHome(home: string): Promise<Store> {
  ensureHome(home);
  return openFile(join(home, DATABASE_FILE));
}

/** Opens the database, does the owner's work, and closes it again. */
export async function asOwner<T>(call: CommandCall, work: (parts: OwnerContext) => Promise<T>): Promise<T> {
  const store = await openStore(call);
  try {
    return await work({ store, owner_id: await ensureOwner(store), now: Date.now });
  } finally {
    await store.close();
  }
}

function fileOf(named: string): string {
  if (named.startsWith("file:")) return requireFileUrl(named);
  return named.replace(/^sqlite:(?:\/\/)?/, "");
}

function requireFileUrl(named: string): string {
  try {
    return fileURLToPath(named);
  } catch {
    throw new UsageError("--database is no address of a file: write its path, or file:///… with it.");
  }
}

/** What the engine says about a database that it cannot open is for its owner to read. */
async function reaching(open: () => Promise<Store>): Promise<Store> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof CodedError || isDiskFull(error)) throw error;
    const reason =
      error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error);
    throw new ApiError("database_unavailable", {
      message: `The database cannot be opened (${reason}).`,
      next: "Check --database, and that the database is running.",
    });
  }
}
