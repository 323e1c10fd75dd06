/**
 * Unencrypted copies of a database, in the places where this program writes them: beside it, and in the backup folder.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isPlainFile } from "@rungs/store/sqlite";

/** The plain copies of an encrypted database, and the folder where Litestream keeps copies of its log. */
export function listPlainFiles(file: string): string[] {
  const folder = dirname(file);
  const log = litestreamFolder(file);
  const name = basename(file);
  const beside = (entry: string) => entry.startsWith(`${name}.`);
  const dated = (entry: string) => entry.startsWith("rungs-") && entry.endsWith(".db");
  return [...list(folder, beside), ...list(join(folder, "backups"), dated)]
    .filter(isPlainFile)
    .concat(existsSync(log) ? [log] : []);
}

/** What to do with a plain copy. */
export function adviseOnPlain(file: string, copy: string): string {
  return copy === litestreamFolder(file)
    ? "Delete it, and the copies that Litestream made."
    : `Delete it, or run rungs encrypt --database ${copy}.`;
}

function litestreamFolder(file: string): string {
  return join(dirname(file), `.${basename(file)}-litestream`);
}

function list(folder: string, isCopy: (entry: string) => boolean): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(isCopy)
    .map((entry) => join(folder, entry));
}
