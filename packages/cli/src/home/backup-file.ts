/** Files that hold a whole database: written beside their destination, checked, and renamed once complete. */
import { existsSync } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import type { TableDigest } from "@rungs/store";
import { UsageError } from "../command/exit.ts";
import { type DatabasePlace, openPlace } from "./database.ts";

const SQLITE_BUSY = 5;

/** Copies a database into a new file that only its owner can read, and checks the copy; removes it again when `work` fails. */
export async function makeCopy(part: string, work: () => Promise<void>): Promise<void> {
  try {
    await rm(part, { force: true });
    // Create the file before SQLite does, so that only its owner can read it from the first byte on.
    await writeFile(part, "", { mode: 0o600 });
    await work();
    await flush(part);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await rm(`${part}-notes`, { force: true });
  }
}

/** Copies a SQLite file as it is at one moment, while others may write to it; returns the digest of each table, equal in both. */
export async function copyDatabaseFile(source: SqlitePlace, part: SqlitePlace): Promise<TableDigest[]> {
  if (!existsSync(source.file)) throw new UsageError(`There is no database at ${source.file}.`);
  const { copySqlite } = await import("@rungs/store/sqlite");
  return copySqlite({ file: source.file, from: source.key, part: part.file, to: part.key });
}

/** A SQLite file, and its key if it is encrypted. */
export type SqlitePlace = Pick<DatabasePlace & { kind: "sqlite" }, "file" | "key">;

/** Opens a copy and checks everything in it. */
export async function verifyCopy(part: SqlitePlace): Promise<void> {
  const store = await openPlace({ kind: "sqlite", ...part });
  try {
    for (const owner_id of await store.listOwners()) {
      const [problem] = await store.check(owner_id);
      if (problem !== undefined) throw new Error(`The copy is damaged (${problem}): run rungs doctor.`);
    }
  } finally {
    await store.close();
  }
}

/** A database leaves the WAL mode only when no other program has it open. */
export async function requireUnused({ file, key }: SqlitePlace): Promise<void> {
  const { connect } = await import("@rungs/store/sqlite");
  let database: ReturnType<typeof connect> | undefined;
  try {
    database = connect(file, { timeout: 0, key });
    database.exec("PRAGMA journal_mode = DELETE");
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw inUse(file);
    // A damaged file is not in use.
  } finally {
    database?.close();
  }
}

/** The error for replacing a file that another program has open. */
export function inUse(file: string): UsageError {
  return new UsageError(`Another program uses ${file}: stop rungs serve and imports, then run this again.`);
}

/** Moves the former database away; returns its new name. */
export async function setAside(place: SqlitePlace): Promise<string> {
  const { file } = place;
  await requireUnused(place);
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const former = `${file}.replaced-${stamp}`;
  for (const suffix of ["-notes", "-wal", "-shm", "-key", ""])
    if (existsSync(file + suffix)) await rename(file + suffix, former + suffix);
  return former;
}

async function flush(part: string): Promise<void> {
  const handle = await open(part, "r+");
  await handle.sync();
  await handle.close();
}
