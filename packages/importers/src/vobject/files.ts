import { ApiError, type ImportedItem } from "@rungs/contract";
import { decodeText } from "../extract/decode-text.ts";
import type { FileEntry, Files } from "../files/files.ts";

const LOOKED_AT = 50;

/** Whether at least half of the first files begin with a component of this name. */
export async function mostlyBeginWith(files: Files, component: string): Promise<boolean> {
  let found = 0;
  let all = 0;
  for await (const entry of files.list()) {
    all += 1;
    if (await beginsWith(entry, component)) found += 1;
    if (all === LOOKED_AT) break;
  }
  return found > 0 && found * 2 >= all;
}

/** The items of the files that begin with a component of this name; other files are rejected. */
export async function* readEach(
  files: Files,
  component: string,
  read: (entry: FileEntry) => AsyncIterable<ImportedItem>,
): AsyncGenerator<ImportedItem> {
  for await (const entry of files.list()) {
    const place = entry.path;
    try {
      if (await beginsWith(entry, component)) yield* read(entry);
      else yield { kind: "rejected", place, reason: `It does not begin with BEGIN:${component}.` };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
      yield { kind: "rejected", place, reason: error.message };
    }
  }
}

async function beginsWith(entry: FileEntry, component: string): Promise<boolean> {
  const head = decodeText(await entry.head(1024))
    .trimStart()
    .toUpperCase();
  return head.startsWith(`BEGIN:${component}`);
}
