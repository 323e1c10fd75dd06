/** Copies of a database that anybody can read, where this program puts them: beside it, and in the folder of backups. */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isPlainFile } from "@rungs/store/sqlite";

/** The plain copies of an encrypted database. */
export function listPlainFiles(file: string): string[] {
  const folder = dirname(file);
  const name = basename(file);
  const beside = (entry: string) => entry.startsWith(`${name}.`);
  const dated = (entry: string) => entry.startsWith("rungs-") && entry.endsWith(".db");
  return [...list(folder, beside), ...list(join(folder, "backups"), dated)].filter(isPlainFile);
}

function list(folder: string, isCopy: (entry: string) => boolean): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(isCopy)
    .map((entry) => join(folder, entry));
}
