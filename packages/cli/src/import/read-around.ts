import { ApiError, type ImportedItem } from "@rungs/contract";
import { type Files, withoutFile } from "@rungs/importers";
import type { StuckPlace } from "./watchdog.ts";

type ReadFiles = (files: Files, resume: string | undefined) => AsyncIterable<ImportedItem>;

/**
 * Reads files around the places where earlier runs were stuck: up to the last of them, then all other files. What the
 * second pass rereads is already stored and stays unchanged.
 */
export async function* readAround(
  files: Files,
  stuck: readonly StuckPlace[],
  resume: string | undefined,
  read: ReadFiles,
): AsyncGenerator<ImportedItem> {
  const last = stuck.at(-1);
  if (!last) {
    yield* read(files, resume);
    return;
  }
  const before = stuck.slice(0, -1).reduce((rest, { file }) => withoutFile(rest, file), files);
  yield* readUntil(read(before, stuck.length === 1 ? resume : undefined), last, resume);
  for (const { file, seconds } of stuck) {
    const reason = `Reading an item of this file took longer than ${seconds} seconds. The rest of the file was left out.`;
    yield { kind: "rejected", place: file, reason };
  }
  yield* readRest(read(withoutFile(before, last.file), undefined));
}

/** Without that file the rest may not be an export of the format; then there is nothing else to read. */
async function* readRest(items: AsyncIterable<ImportedItem>): AsyncGenerator<ImportedItem> {
  try {
    yield* items;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "unknown_format") throw error;
  }
}

/** The items before the one that took too long, which is never requested. */
async function* readUntil(
  items: AsyncIterable<ImportedItem>,
  { checkpoint, after }: StuckPlace,
  resume: string | undefined,
): AsyncGenerator<ImportedItem> {
  let left = checkpoint === resume ? after : undefined;
  if (left === 0) return;
  for await (const item of items) {
    yield item;
    if (item.checkpoint !== undefined && item.checkpoint === checkpoint) left = after;
    else if (left !== undefined) left -= 1;
    if (left === 0) return;
  }
}
