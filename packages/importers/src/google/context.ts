import { posix } from "node:path";
import type { FileEntry } from "../files/files.ts";
import type { ImportSource } from "../importer.ts";

/** A conversation of Google Chat; each has a folder. */
export interface GoogleChat {
  readonly id: string;
  readonly name?: string | undefined;
}

/** What the readers of a Takeout share. */
export interface GoogleContext {
  readonly source: ImportSource;
  /** Chats, by folder. */
  readonly chats: ReadonlyMap<string, GoogleChat>;
  /** Keys in use, so that two notes with the same time get different ones. */
  readonly taken: Set<string>;
}

/** Finds a file in the same folder as another. */
export async function findSibling(
  { source }: GoogleContext,
  file: FileEntry,
  name: string,
): Promise<FileEntry | undefined> {
  return source.files.find(posix.join(posix.dirname(file.path), name));
}

/** Makes a key unique: appends the file's name if an earlier element has the same key. */
export function distinguish({ taken }: GoogleContext, key: readonly string[], file: FileEntry): string[] {
  const known = JSON.stringify(key);
  const isTaken = taken.has(known);
  taken.add(known);
  return isTaken ? [...key, posix.basename(file.path)] : [...key];
}
