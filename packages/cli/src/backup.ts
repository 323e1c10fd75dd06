import { existsSync } from "node:fs";
import { open, rename, rm, stat, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { UsageError } from "./command/exit.ts";
import { openFile } from "./home/database.ts";

/** A copy that was opened and looked through. */
export interface Backup {
  readonly file: string;
  readonly size_bytes: number;
}

/** Writes what a database holds at one moment into an empty file. */
export type CopyInto = (part: string) => Promise<void>;

/**
 * Makes a copy of a database while others read and write it. It gets its name when it has been opened and everything
 * in it fits together.
 */
export async function backUp(file: string, copyInto: CopyInto): Promise<Backup> {
  if (existsSync(file)) throw new UsageError(`${file} is there already: choose another name.`);
  const part = `${file}.part`;
  try {
    await rm(part, { force: true });
    // Made first, so that it is its owner's alone from the first byte on.
    await writeFile(part, "", { mode: 0o600 });
    await copyInto(part);
    await verify(part);
    await rm(`${part}-notes`, { force: true });
    await flush(part);
    await rename(part, file);
  } catch (error) {
    for (const left of [part, `${part}-notes`]) await rm(left, { force: true });
    throw error;
  }
  return { file, size_bytes: (await stat(file)).size };
}

/** Copies a file of SQLite. What was read last is noted beside it until somebody opens it. */
export async function copyFile(source: string, part: string): Promise<void> {
  if (!existsSync(source)) throw new UsageError(`There is no database at ${source}.`);
  await (await openFile(source)).close();
  const database = new DatabaseSync(source, { readOnly: true, timeout: 30_000 });
  try {
    database.prepare("VACUUM INTO ?").run(part);
  } finally {
    database.close();
  }
}

async function verify(part: string): Promise<void> {
  const store = await openFile(part);
  try {
    for (const owner_id of await store.listOwners()) {
      const [problem] = await store.check(owner_id);
      if (problem !== undefined) throw new Error(`The copy is not sound (${problem}): run rungs doctor.`);
    }
  } finally {
    await store.close();
  }
}

async function flush(part: string): Promise<void> {
  const handle = await open(part, "r+");
  await handle.sync();
  await handle.close();
}
