/** Files that hold a whole database: made beside their place, checked, and renamed when they are complete. */
import { existsSync } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { UsageError } from "../command/exit.ts";
import { openFile } from "./database.ts";

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

/** Copies a SQLite file as it is at one moment, while others may write to it. */
export function copySqlite(source: string, part: string): void {
  if (!existsSync(source)) throw new UsageError(`There is no database at ${source}.`);
  const database = new DatabaseSync(source, { readOnly: true, timeout: 30_000 });
  try {
    database.prepare("VACUUM INTO ?").run(part);
  } finally {
    database.close();
  }
}

/** Opens a copy and checks everything in it. */
export async function verifyCopy(part: string): Promise<void> {
  const store = await openFile(part);
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
export function requireUnused(file: string): void {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("PRAGMA journal_mode = DELETE");
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      throw new UsageError(
        `Another program uses ${file}: stop rungs serve and imports, then run this again.`,
      );
    // A damaged file is not in use.
  } finally {
    database.close();
  }
}

/** Moves the former database away; returns its new name. */
export async function setAside(file: string): Promise<string> {
  requireUnused(file);
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const former = `${file}.replaced-${stamp}`;
  for (const suffix of ["-notes", "-wal", "-shm", ""])
    if (existsSync(file + suffix)) await rename(file + suffix, former + suffix);
  return former;
}

async function flush(part: string): Promise<void> {
  const handle = await open(part, "r+");
  await handle.sync();
  await handle.close();
}
