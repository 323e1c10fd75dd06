import { buffer } from "node:stream/consumers";
import type { ImportedItem } from "@rungs/contract";
import type { Detection } from "../detect/detection.ts";
import type { Sample } from "../detect/sample.ts";
import type { FileEntry } from "../files/files.ts";
import { formatResume, parseResume } from "../files/resume.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { parseExactJson } from "../json/parse-json.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { BOOKMARK_PAGE, readBookmarkPage } from "./bookmark-page.ts";
import { BOOKMARK_TREE, listTree } from "./bookmark-tree.ts";
import type { FoundBookmark } from "./found.ts";
import { detectHistory, isDatabase, listVisits } from "./history-database.ts";
import { browserManifest } from "./manifest.ts";
import { isMozLz4, unpackMozLz4 } from "./mozlz4.ts";
import { readTakeoutHistory, TAKEOUT_HISTORY } from "./takeout-history.ts";

/** Bookmarks and history of browsers. */
export const browser: Importer = {
  id: "browser",
  label: "browser bookmarks and history",
  get manifest() {
    return browserManifest();
  },
  recognition: { kind: "file", recognise },
  read,
};

function recognise({ text, bytes, entry }: Sample): Detection | undefined {
  const sign = (reason: string): Detection => ({ confidence: "signature", reason });
  if (BOOKMARK_PAGE.test(text)) return sign("it begins as a page of bookmarks");
  if (BOOKMARK_TREE.test(text)) return sign("it is a tree of bookmarks in JSON");
  if (TAKEOUT_HISTORY.test(text)) return sign("it has the list of visits that Google Takeout writes");
  if (isMozLz4(bytes)) return sign("it is packed as Firefox packs its bookmarks");
  if (!isDatabase(bytes) || entry.disk_path === undefined) return undefined;
  const name = detectHistory(entry.disk_path);
  return name === undefined ? undefined : sign(`it has the tables of ${name}'s history`);
}

/** The largest JSON file of bookmarks, which is held in memory: 100,000 bookmarks take 50 MB. */
const TREE_MAX_BYTES = 128 * 1024 ** 2;

const HEAD_BYTES = 32 * 1024;

async function* read(source: ImportSource): AsyncGenerator<ImportedItem> {
  const { path: done_path = "", counts: [done = 0] = [] } = parseResume(source.resume) ?? {};
  const keys = new Map<string, number>();
  for await (const entry of source.files.list()) {
    if (entry.path < done_path) continue;
    const from = entry.path === done_path ? done : 0;
    const head = await entry.head(HEAD_BYTES);
    if (isDatabase(head)) yield* readHistory(entry, from);
    else if (TAKEOUT_HISTORY.test(new TextDecoder().decode(head))) yield* readTakeout(entry, from);
    else yield* readBookmarks(entry, from, keys);
  }
}

async function* readBookmarks(
  entry: FileEntry,
  done: number,
  keys: Map<string, number>,
): AsyncGenerator<ImportedItem> {
  let number = 0;
  for await (const bookmark of await listBookmarks(entry)) {
    number += 1;
    const key = joinKey(...bookmark.folders, bookmark.url);
    const count = (keys.get(key) ?? 0) + 1;
    keys.set(key, count);
    if (number <= done) continue;
    const { title, url, tags, description, added_at } = bookmark;
    const id = count === 1 ? key : joinKey(...bookmark.folders, bookmark.url, String(count));
    const folder = bookmark.folders.join("/");
    const place = `${entry.path}, bookmark ${number}`;
    const record = toRecordItem("bookmarks", place, { id, title, url, folder, tags, description, added_at });
    yield { ...record, checkpoint: formatResume(entry.path, number) };
  }
  if (number === 0)
    yield { kind: "rejected", place: entry.path, reason: "It has no bookmarks that can be read." };
}

async function listBookmarks(
  entry: FileEntry,
): Promise<AsyncIterable<FoundBookmark> | Iterable<FoundBookmark>> {
  const head = await entry.head(1024);
  if (
    BOOKMARK_PAGE.test(
      Buffer.from(head)
        .toString("latin1")
        .replace(/^\xef\xbb\xbf/, ""),
    )
  )
    return readBookmarkPage(entry.open());
  if (entry.size_bytes > TREE_MAX_BYTES) return [];
  const bytes = await buffer(entry.open());
  const json = isMozLz4(head) ? unpackMozLz4(bytes, TREE_MAX_BYTES) : bytes;
  return listTree(json && parseExactJson(new TextDecoder().decode(json)));
}

async function* readTakeout(entry: FileEntry, done: number): AsyncGenerator<ImportedItem> {
  for await (const visit of readTakeoutHistory(entry, done)) {
    if (visit.kind === "rejected") yield visit;
    else {
      const { title, url, visited_at, place, checkpoint } = visit;
      const id = joinKey(visited_at ?? "", url);
      yield { ...toRecordItem("visits", place, { id, title, url, visited_at }), checkpoint };
    }
  }
}

/** How many visits to read at a time. */
const VISITS_HELD = 1_000;

async function* readHistory(entry: FileEntry, done: number): AsyncGenerator<ImportedItem> {
  const place = entry.path;
  if (entry.disk_path === undefined) {
    yield {
      kind: "rejected",
      place,
      reason: "It is a database inside an archive; unpack it and import the folder.",
    };
    return;
  }
  for (let number = done; ; ) {
    const visits = listVisits(entry.disk_path, number, VISITS_HELD);
    if (!visits) {
      const reason = "It is a database that cannot be read as the history of a browser.";
      yield { kind: "rejected", place, reason };
      return;
    }
    for (const { title, url, visited_at, number: own } of visits) {
      const id = joinKey(visited_at ?? String(own), url);
      number = own;
      const record = toRecordItem("visits", `${place}, visit ${own}`, { id, title, url, visited_at });
      yield { ...record, checkpoint: formatResume(place, own) };
    }
    if (visits.length < VISITS_HELD) return;
  }
}
