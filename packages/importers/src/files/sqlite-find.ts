import { ApiError } from "@rungs/contract";
import type { FileEntry, Files } from "./files.ts";
import { listEntries } from "./probe.ts";
import { isSqlite } from "./sqlite-copy.ts";

/** How to recognize the database of a program. */
export interface DatabaseMark {
  /** The name that the program gives it. */
  readonly name: RegExp;
  /** A table that only this program has; under another name its definition must be near the beginning. */
  readonly table: string;
}

const HEAD_BYTES = 256 * 1024;

/** The databases of a program, without their write-ahead logs. */
export async function findDatabases(files: Files, mark: DatabaseMark): Promise<FileEntry[]> {
  const found: FileEntry[] = [];
  for (const entry of await listEntries(files)) {
    if (/-(?:wal|shm|journal)$/.test(entry.path) || !(await isMarked(entry, mark))) continue;
    found.push(entry);
  }
  return found;
}

async function isMarked(entry: FileEntry, { name, table }: DatabaseMark): Promise<boolean> {
  try {
    if (!isSqlite(await entry.head(100))) return false;
    if (name.test(entry.path)) return true;
    const head = Buffer.from(await entry.head(HEAD_BYTES)).toString("latin1");
    return head.includes(table) && head.includes("CREATE TABLE");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return false;
  }
}
