import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { MentionedFile } from "../chat/message-items.ts";
import type { KindFile } from "../export/file-kinds.ts";
import type { FileEntry } from "../files/files.ts";
import type { ImportSource } from "../importer.ts";
import { readElements } from "../json/read-elements.ts";
import { asId, asObject, asObjects, asText } from "../json/values.ts";
import { toJsonFile } from "./assigned-file.ts";

/** What the readers of an archive share. */
export interface TwitterContext {
  readonly source: ImportSource;
  /** The account that the archive belongs to. */
  readonly owner: { readonly id?: string | undefined; readonly name?: string | undefined };
  /** Names of accounts by their id: messages have only ids. */
  readonly names: ReadonlyMap<string, string>;
  /** The post that each post of the owner answers. */
  readonly answered: ReadonlyMap<string, string>;
  /** The chats that already have a record. */
  readonly reported: Set<string>;
}

/** How many post ids to hold, to find the thread of a post. */
const HELD_MAX = 1_000_000;

/** Collects what posts and messages refer to. */
export async function prepareTwitter(
  source: ImportSource,
  found: readonly KindFile<TwitterContext>[],
): Promise<TwitterContext> {
  const names = new Map<string, string>();
  const answered = new Map<string, string>();
  let owner: TwitterContext["owner"] = {};
  for (const { file, kind } of found) {
    if (kind.noun !== "account" && kind.noun !== "post") continue;
    for await (const element of readElements([toJsonFile(file)], { noun: kind.noun })) {
      if (element.kind === "rejected") continue;
      const value = asObject(element.value);
      const account = asObject(value.account);
      const id = asId(account.accountId);
      if (id !== undefined) owner = { id, name: nameAccount(account.username) };
      const tweet = asObject(value.tweet ?? value);
      const [post, before] = [asId(tweet.id_str), asId(tweet.in_reply_to_status_id_str)];
      if (post !== undefined && before !== undefined && answered.size < HELD_MAX) answered.set(post, before);
      for (const { id_str, screen_name } of asObjects(asObject(tweet.entities).user_mentions)) {
        const [mentioned, name] = [asId(id_str), nameAccount(screen_name)];
        if (mentioned !== undefined && name !== undefined && names.size < HELD_MAX)
          names.set(mentioned, name);
      }
    }
  }
  if (owner.id !== undefined && owner.name !== undefined) names.set(owner.id, owner.name);
  return { source, owner, names, answered, reported: new Set() };
}

/** An account as people write it: `@ann`. */
export function nameAccount(screen_name: unknown): string | undefined {
  const name = asText(screen_name);
  return name === undefined ? undefined : `@${name}`;
}

/** The first post of a thread, as far as the owner's own posts lead back. */
export function findFirstPost({ answered }: TwitterContext, id: string): string {
  const seen = new Set<string>();
  let first = id;
  for (
    let before = answered.get(first);
    before !== undefined && !seen.has(before);
    before = answered.get(first)
  ) {
    seen.add(before);
    first = before;
  }
  return first;
}

/** The copy of a picture or video in the archive: its folder is beside the list, its name begins with the item's id. */
export async function findTwitterMedia(
  { source }: TwitterContext,
  { file, folders, id, url }: { file: FileEntry; folders: readonly string[]; id: string; url: string },
): Promise<MentionedFile> {
  const name = posix.basename(url.replace(/[?#].*$/s, "")) || "file";
  for (const folder of folders) {
    const entry = await source.files.find(posix.join(posix.dirname(file.path), folder, `${id}-${name}`));
    if (entry) return { name, entry };
  }
  return { name, own: { url } };
}

/** The time in an id of X, which counts milliseconds since 2010-11-04 above its lowest 22 bits. */
export function readIdTime(id: string): string | undefined {
  if (!/^\d{15,19}$/.test(id)) return undefined;
  return new Date(Number((BigInt(id) >> 22n) + 1_288_834_974_657n)).toISOString();
}

/** A digest for items without an id. */
export function digestNote(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
