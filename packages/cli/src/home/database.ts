import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiError } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import { ensureOwner, type OwnerContext } from "@rungs/server";
import type { Store, StoreOptions } from "@rungs/store";
import type { CommandCall } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { isDiskFull } from "../command/system-failure.ts";
import type { KeyEnvironment } from "../keys/keepers.ts";
import { openEnvelope, openKey } from "../keys/open-key.ts";
import { refuseConverting, removeUnfinished } from "../keys/unfinished.ts";
import { ensureHome, resolveHome } from "./home.ts";
import { findRunning, withHome } from "./running-server.ts";

const DATABASE_FILE = "rungs.db";

/** The location of a database. */
export type DatabasePlace =
  | {
      readonly kind: "sqlite";
      readonly file: string;
      readonly home?: string;
      /** Where a passphrase may be; by default the environment of the process. */
      readonly env?: KeyEnvironment;
      /** The key, if known; by default the key in the envelope beside the file. */
      readonly key?: Uint8Array | undefined;
    }
  | {
      readonly kind: "postgres";
      readonly url: string;
      /** As for a file: where the passphrase of its sealed rows may be. */
      readonly env?: KeyEnvironment;
      readonly role?: string | undefined;
      /** A replica of it, for a server's reads. */
      readonly replica?: string | undefined;
    };

/** The database of a command line: `--database`, `RUNGS_DATABASE`, or the file in the data directory. */
export function resolvePlace(call: CommandCall): DatabasePlace {
  const named = call.option("database") ?? call.io.env.RUNGS_DATABASE;
  const { env } = call.io;
  const place = named === undefined ? placeOf(resolveHome(call)) : parsePlace(named);
  return place.kind === "postgres" ? { ...place, env, role: env.RUNGS_DATABASE_ROLE } : { ...place, env };
}

/** The database in a data directory. */
export function placeOf(home: string): DatabasePlace & { readonly kind: "sqlite" } {
  return { kind: "sqlite", file: join(home, DATABASE_FILE), home };
}

/** Parses the location of a database: `postgres://…`, or a file. */
export function parsePlace(named: string): DatabasePlace {
  if (/^postgres(?:ql)?:\/\//.test(named)) return { kind: "postgres", url: named };
  return { kind: "sqlite", file: parseFile(named) };
}

type OwnerWork<T> = (owner: OwnerContext) => Promise<T>;

/** Opens the database of a command line. */
export async function openStore(call: CommandCall): Promise<Store> {
  return openPlace(resolvePlace(call));
}

/** Opens the database of a command that only reads: never creates one, and says where it looked. */
export async function openExistingStore(call: CommandCall): Promise<Store> {
  const place = resolvePlace(call);
  if (place.kind === "sqlite" && !existsSync(place.file)) {
    throw new ApiError("not_found", {
      message: `There is no database at ${place.file}.`,
      next: "Name its folder with --home or RUNGS_HOME, or a server with --url; rungs import creates a database.",
    });
  }
  return openPlace(place);
}

/** Names a database in a message; the address of a PostgreSQL server may hold a password. */
export function describePlace(call: CommandCall): string {
  const place = resolvePlace(call);
  return place.kind === "sqlite" ? place.file : "the PostgreSQL database";
}

/**
 * A server reads in threads, so that a slow client occupies only one of them. They start on demand, and may outnumber
 * the cores, which the system shares fairly. A command reads in its own thread.
 */
const serving: StoreOptions = { workers: 4 };

/** Opens the database of a command line to serve it. */
export async function openServedStore(
  call: CommandCall,
  options: Pick<StoreOptions, "slow_queries"> = {},
): Promise<Store> {
  return openPlace(requireReplica(call, resolvePlace(call)), { ...serving, ...options });
}

/**
 * Whether a server would read from the replica that this command line or the environment names, and how far it lags;
 * undefined without one.
 */
export async function findReplicaState(call: CommandCall) {
  const place = requireReplica(call, resolvePlace(call));
  if (place.kind !== "postgres" || place.replica === undefined) return undefined;
  return (await import("@rungs/store/postgres")).readReplicaState(place.url, place.replica);
}

/** The same place with its replica: `--database-replica`, or `RUNGS_DATABASE_REPLICA`. */
function requireReplica({ option, io }: CommandCall, place: DatabasePlace): DatabasePlace {
  const replica = option("database-replica") ?? io.env.RUNGS_DATABASE_REPLICA;
  if (replica === undefined) return place;
  if (place.kind !== "postgres" || parsePlace(replica).kind !== "postgres")
    throw new UsageError("--database-replica takes postgres://…, and so does --database with it.");
  return { ...place, replica };
}

/** Opens the database in a data directory to serve it. */
export async function openServedHome(home: string): Promise<Store> {
  return openHome(home, serving);
}

/** Opens a database. Only this file knows the engines. */
export async function openPlace(place: DatabasePlace, options?: StoreOptions): Promise<Store> {
  if (place.kind === "postgres") {
    const { url, env = process.env, role: database_role, replica: database_replica } = place;
    const open = (envelope: string) => openEnvelope(url, envelope, env);
    return openUrl(url, { ...options, openEnvelope: open, database_role, database_replica });
  }
  if (place.home !== undefined) ensureHome(place.home);
  return openFile(place, options);
}

/** Opens a SQLite database; creates it the first time. Where an envelope is beside it, it is encrypted. */
async function openFile(
  { file, env = process.env, key }: DatabasePlace & { kind: "sqlite" },
  options?: StoreOptions,
): Promise<Store> {
  const data_key = key ?? (await openKey(file, env));
  const store = await explainUnavailable(async () => {
    const { openSqlite } = await import("@rungs/store/sqlite");
    return openSqlite(file, { ...options, key: data_key }).catch(refuseConverting(file));
  });
  removeUnfinished(file);
  return store;
}

/** Opens a PostgreSQL database; creates its tables the first time. Each engine is loaded only when used. */
function openUrl(url: string, options?: StoreOptions): Promise<Store> {
  return explainUnavailable(async () => (await import("@rungs/store/postgres")).openPostgres(url, options));
}

/** Opens the database in a data directory; creates both the first time. */
export function openHome(home: string, options?: StoreOptions): Promise<Store> {
  return openPlace(placeOf(home), options);
}

/** Opens the database, calls `work` as the owner, and closes it again. */
export async function asOwner<T>(call: CommandCall, work: OwnerWork<T>): Promise<T> {
  return workAndClose(call, await openStore(call), work);
}

/** As `asOwner`, for a command that only reads: it creates no database, and an owner without one sees the running demo. */
export async function readAsOwner<T>(call: CommandCall, work: OwnerWork<T>): Promise<T> {
  const preferred = preferExisting(call);
  return workAndClose(preferred, await openExistingStore(preferred), work);
}

/** The same command line; if its database is missing and a demo runs, that of the demo, with a note about it. */
export function preferExisting(call: CommandCall): CommandCall {
  const place = resolvePlace(call);
  const running = place.kind === "sqlite" && !existsSync(place.file) ? findRunning(call) : undefined;
  if (running === undefined) return call;
  call.io.err(`rungs: You have no database yet: this is the sample data of the demo at ${running.url}.`);
  return withHome(call, running.home);
}

async function workAndClose<T>(call: CommandCall, store: Store, work: OwnerWork<T>): Promise<T> {
  try {
    return await work({ store, owner_id: await findCommandOwner(call, store), now: Date.now });
  } finally {
    await store.close();
  }
}

/** Whose data a command is about: `--owner`, `RUNGS_OWNER`, or the first owner. */
export async function findCommandOwner(call: CommandCall, store: Store): Promise<string> {
  const first_owner = await ensureOwner(store);
  const named = call.option("owner") ?? call.io.env.RUNGS_OWNER;
  // Throws for a name that nobody has.
  if (named !== undefined) await store.getAccount(named || "?");
  return named ?? first_owner;
}

function parseFile(named: string): string {
  if (named.startsWith("file:")) return requireFileUrl(named);
  return named.replace(/^sqlite:(?:\/\/)?/, "");
}

function requireFileUrl(named: string): string {
  try {
    return fileURLToPath(named);
  } catch {
    throw new UsageError("--database is not a file URL: give a path, or file:///… with one.");
  }
}

/** Reports why the engine cannot open a database. The command line's user is the owner and may see the reason. */
export async function explainUnavailable<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof CodedError || isDiskFull(error)) throw error;
    const reason =
      error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error);
    throw new ApiError("database_unavailable", {
      message: `The database cannot be opened (${reason}).`,
      next: isDamaged(error)
        ? "If it was encrypted, put its envelope (the file whose name ends in -key) back beside it; otherwise put the last backup back with rungs restore FILE --replace, or correct --database."
        : "Check --database, and that the database is running.",
    });
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB (https://sqlite.org/rescode.html). */
function isDamaged(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number };
  return [11, 26].includes(errcode & 0xff);
}
