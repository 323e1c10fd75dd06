import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { MentionedFile } from "../chat/message-items.ts";
import type { FileEntry } from "../files/files.ts";
import type { ImportSource } from "../importer.ts";
import { asText, type ExportedObject } from "../json/values.ts";

/** A conversation. */
export interface MetaThread {
  readonly id: string;
  readonly name?: string | undefined;
  readonly kind?: string | undefined;
  readonly members: readonly string[];
}

/** What the readers of a download share. */
export interface MetaContext {
  readonly source: ImportSource;
  /** The threads of the files that were read, with their facts, by the path of the file. */
  readonly threads: Map<string, MetaThread>;
  /** The ids of threads that already have a record. */
  readonly reported: Set<string>;
  /** The keys of the latest messages with the same time, because a download may repeat a message. */
  readonly recent: { sent_at: string; readonly keys: Set<string> };
}

/** A digest that distinguishes two items of the same time. */
export function digest(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

/** The file that a `uri` names: relative to the root of the download, which may be unpacked deeper, or to the file itself. */
export async function findMetaMedia(
  { source }: MetaContext,
  file: FileEntry,
  media: ExportedObject,
): Promise<MentionedFile> {
  const uri = asText(media.uri) ?? "file";
  const name = posix.basename(uri);
  if (/^[a-z]+:/i.test(uri)) return { name };
  const folders = posix.dirname(file.path).split("/");
  for (let depth = folders.length; depth >= 0; depth -= 1) {
    const entry = await source.files.find(posix.join(...folders.slice(0, depth), uri));
    if (entry) return { name, entry };
  }
  return { name };
}

/** Whether a message of this time and key was read just before. */
export function isRepeated({ recent }: MetaContext, sent_at: string, key: string): boolean {
  if (recent.sent_at !== sent_at) recent.keys.clear();
  recent.sent_at = sent_at;
  const isKnown = recent.keys.has(key);
  recent.keys.add(key);
  return isKnown;
}
