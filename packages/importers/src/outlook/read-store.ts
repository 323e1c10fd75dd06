/** The items of an Outlook data file, read in a process that may read this file and nothing else. */
import type { ChildProcess } from "node:child_process";
import { buffer } from "node:stream/consumers";
import { EXTRACTION_LIMITS } from "../extract/limits.ts";
import { endReader, findProgram, requestReader, startReader } from "../extract/reader-process.ts";
import { Unreadable } from "../extract/unreadable.ts";
import type { FileEntry } from "../files/files.ts";
import type { StoreAnswer, StoreRequest } from "./store-reader.ts";
import type { StoreItem } from "./walk-store.ts";

const SCRIPT = findProgram("store-reader", import.meta.url);

/** The largest data file inside an archive: it is held in memory. */
const HELD_MAX_BYTES = 256 * 1024 ** 2;

/** How many consecutive items may crash the process before it gives up on the rest. */
const CRASHES_MAX = 5;

/**
 * The items from number `skip` on. Reports an item that hangs or crashes the process as a problem, and continues after
 * it.
 */
export async function* readStore(entry: FileEntry, skip: number): AsyncGenerator<StoreItem> {
  const source = await takeSource(entry);
  if (source === undefined) {
    const reason = `It is larger than ${HELD_MAX_BYTES} bytes inside an archive; unpack the archive and import the folder.`;
    yield { kind: "unreadable", reason };
    return;
  }
  let [number, crashes] = [skip, 0];
  let reader: ChildProcess | undefined;
  try {
    while (true) {
      const isNew = reader === undefined;
      reader ??= await startReader(SCRIPT, EXTRACTION_LIMITS, typeof source === "string" ? [source] : []);
      const request: StoreRequest = isNew ? { kind: "open", source, skip: number } : { kind: "next" };
      const answer = await ask(reader, request);
      if (answer.kind === "end") return;
      if (answer.kind === "crashed") {
        reader = undefined;
        crashes += 1;
      } else crashes = 0;
      number += 1;
      const isOver = answer.kind === "unreadable" || crashes === CRASHES_MAX;
      if (answer.kind !== "crashed") yield answer;
      else if (isOver) yield { kind: "unreadable", reason: `${answer.reason} What follows was not read.` };
      else yield { kind: "problem", folder: "", reason: answer.reason };
      if (isOver) return;
    }
  } finally {
    if (reader) await endReader(reader);
  }
}

async function takeSource(entry: FileEntry): Promise<string | Uint8Array | undefined> {
  if (entry.disk_path !== undefined) return entry.disk_path;
  return entry.size_bytes > HELD_MAX_BYTES ? undefined : await buffer(entry.open());
}

async function ask(
  reader: ChildProcess,
  request: StoreRequest,
): Promise<StoreAnswer | { readonly kind: "crashed"; readonly reason: string }> {
  try {
    return await requestReader<StoreAnswer>(reader, request, EXTRACTION_LIMITS);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { kind: "crashed", reason: error.message };
  }
}
