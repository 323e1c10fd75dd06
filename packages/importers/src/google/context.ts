import { posix } from "node:path";
import type { FileEntry } from "../files/files.ts";
import type { ImportSource } from "../importer.ts";

/** A chat of Google Chat, by its folder. */
export interface GoogleChat {
  readonly id: string;
  readonly name?: string | undefined;
}

/** What the readers of a Takeout share. */
export interface GoogleContext {
  readonly source: ImportSource;
  /** Chats by the folder of their messages. */
  readonly chats: ReadonlyMap<string, GoogleChat>;
  /** Keys that were given already, to tell two notes of one time apart. */
  readonly taken: Set<string>;
}

/** Finds a file in the folder of another one. */
export async function findBeside(
  { source }: GoogleContext,
  file: FileEntry,
  name: string,
): Promise<FileEntry | undefined> {
  return source.files.find(posix.join(posix.dirname(file.path), name));
}

/** The key as the parts of it; with the file's name if another element has it already. */
export function distinguish({ taken }: GoogleContext, key: readonly string[], file: FileEntry): string[] {
  const known = JSON.stringify(key);
  const isTaken = taken.has(known);
  taken.add(known);
  return isTaken ? [...key, posix.basename(file.path)] : [...key];
}
