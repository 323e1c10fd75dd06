import { existsSync } from "node:fs";
import { open, rename, rm, stat, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import type { Command } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { copyStore } from "../home/copy-store.ts";
import { openFile, resolvePlace } from "../home/database.ts";

/** `rungs backup`: a verified SQLite file with the state of one moment; works from either engine. */
export const backup: Command = {
  async run(call) {
    const [file = ""] = call.operands;
    const place = resolvePlace(call);
    const made = await backUp(file, async (part) => {
      if (place.kind === "sqlite") await copyFile(place.file, part);
      else await copyStore(place, { kind: "sqlite", file: part }, call);
    });
    const text = `${file}: ${made.size_bytes} bytes, opened and checked. Use it with --database ${file}.`;
    call.io.out(call.flag("json") ? JSON.stringify(made) : text);
    return Exit.done;
  },
};

interface Backup {
  readonly file: string;
  readonly size_bytes: number;
}

/** Copies a database while other processes use it. The copy gets its name only after it passed every check. */
async function backUp(file: string, copyInto: (part: string) => Promise<void>): Promise<Backup> {
  if (existsSync(file)) throw new UsageError(`${file} exists already: choose another name.`);
  const part = `${file}.part`;
  try {
    await rm(part, { force: true });
    // Create the file before SQLite does, so that only its owner can read it from the first byte on.
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

/** Copies a SQLite file. Opening the store first moves the rows of the audit journal into the database. */
async function copyFile(source: string, part: string): Promise<void> {
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
      if (problem !== undefined) throw new Error(`The copy is damaged (${problem}): run rungs doctor.`);
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
