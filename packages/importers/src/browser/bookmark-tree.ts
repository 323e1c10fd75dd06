/** The bookmark files of Chrome and its kin (`Bookmarks`), and Firefox' backups (`bookmarks-….json`, `.jsonlz4`). */
import { splitTags } from "./bookmark-page.ts";
import { type FoundBookmark, toChromeTime, toTime } from "./found.ts";

const DEPTH_MAX = 200;
const FIREFOX = "text/x-moz-place";

/** What such a file begins with. */
export const BOOKMARK_TREE =
  /^\s*\{(?:\s*"checksum"\s*:\s*"[0-9a-f]*"\s*,)?\s*"roots"\s*:\s*\{|^\s*\{\s*"guid"\s*:\s*"root________"/;

/** The bookmarks of a file that was parsed. */
export function* listTree(value: unknown): Generator<FoundBookmark> {
  const { roots } = asObject(value);
  if (roots === undefined) yield* walk(value, []);
  else for (const root of Object.values(asObject(roots))) yield* walk(root, []);
}

function* walk(value: unknown, folders: readonly string[]): Generator<FoundBookmark> {
  const node = asObject(value);
  const title = asText(node.name ?? node.title);
  const url = asText(node.url ?? node.uri);
  if (url !== "" && (node.type === "url" || node.type === FIREFOX)) {
    const added_at =
      node.type === "url" ? toChromeTime(Number(node.date_added)) : toTime(Number(node.dateAdded) / 1000);
    yield { kind: "bookmark", title, url, folders, tags: splitTags(asText(node.tags)), added_at };
    return;
  }
  if (!Array.isArray(node.children) || folders.length > DEPTH_MAX) return;
  const inner = title === "" ? folders : [...folders, title];
  for (const child of node.children) yield* walk(child, inner);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
