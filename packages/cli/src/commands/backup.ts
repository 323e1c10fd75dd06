import { existsSync, statSync } from "node:fs";
import { mkdir, rename, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { requireCount } from "../command/option-values.ts";
import { copyDatabaseFile, makeCopy, type SqlitePlace, verifyCopy } from "../home/backup-file.ts";
import { copyStore } from "../home/copy-store.ts";
import { type DatabasePlace, openPlace, resolvePlace } from "../home/database.ts";
import { deleteOldest, nameBackup } from "../home/dated-backups.ts";
import { resolveHome } from "../home/home.ts";
import { copyEnvelope, writeEnvelope } from "../keys/envelope.ts";
import { openKey } from "../keys/open-key.ts";
import { findKeyForFile } from "../keys/seal-server.ts";

/** `rungs backup`: a verified SQLite file with the state of one moment; works from either engine. */
export const backup: Command = {
  details: [
    "TO is a new file, or a folder that gets a dated file; HOME/backups by default.",
    "rungs restore puts a backup back, and keeps revocations.",
  ],
  options: {
    keep: {
      type: "string",
      value: "N",
      about: "in a folder: delete the oldest dated backups, so that N are left",
    },
  },
  async run(call) {
    const keep = requireCount(call.option("keep"), "keep");
    const { file, folder } = await resolveFile(call);
    if (keep !== undefined && folder === undefined)
      throw new UsageError("--keep needs a folder of dated backups, not the name of a file.");
    const size_bytes = await backUp(file, resolvePlace(call), call);
    const deleted = folder === undefined || keep === undefined ? [] : await deleteOldest(folder, keep);
    const text = [
      `${file}: ${size_bytes} bytes, opened and checked. Put it back with rungs restore ${file}.`,
      ...deleted.map((old) => `${old}: deleted.`),
    ];
    call.io.out(call.flag("json") ? JSON.stringify({ file, size_bytes, deleted }) : text.join("\n"));
    return Exit.done;
  },
};

/** The file to create, and its folder if the name is dated. */
async function resolveFile(call: CommandCall): Promise<{ file: string; folder?: string }> {
  const [to] = call.operands;
  if (to !== undefined && !(existsSync(to) && statSync(to).isDirectory())) return { file: to };
  const folder = to ?? join(resolveHome(call), "backups");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return { file: join(folder, nameBackup(new Date())), folder };
}

/** Copies a database while other processes use it; returns the size of the copy. It gets its name only after it passed every check. */
async function backUp(file: string, place: DatabasePlace, call: CommandCall): Promise<number> {
  if (existsSync(file)) throw new UsageError(`${file} exists already: choose another name.`);
  const folder = dirname(resolve(file));
  if (!existsSync(folder))
    throw new UsageError(`The folder ${folder} does not exist: create it, or choose another.`);
  const part = `${file}.part`;
  const sealed = place.kind === "postgres" ? await findKeyForFile(place) : undefined;
  const key = place.kind === "sqlite" ? await openKey(place.file, call.io.env) : sealed?.key;
  await makeCopy(part, async () => {
    const copy = { kind: "sqlite", file: part, key } as const;
    if (place.kind === "sqlite") await copyOpened({ ...place, key }, copy);
    else await copyStore(place, copy, call);
    await verifyCopy(copy);
  });
  if (place.kind === "sqlite") copyEnvelope(place.file, file);
  else if (sealed) writeEnvelope(file, sealed.envelope);
  await rename(part, file);
  return (await stat(file)).size;
}

/** Opening the store first moves the rows of the audit journal into the database. */
async function copyOpened(source: DatabasePlace & { kind: "sqlite" }, copy: SqlitePlace): Promise<void> {
  if (existsSync(source.file)) await (await openPlace(source)).close();
  await copyDatabaseFile(source, copy);
}
