import { posix } from "node:path";
import { buffer } from "node:stream/consumers";
import { ApiError, type ImportedItem } from "@rungs/contract";
import type { FileEntry, Files } from "../files/files.ts";
import { listEntries, readHead, refuseFiles } from "../files/probe.ts";
import type { FoundExport, Importer, ImportSource } from "../importer.ts";
import { withCheckpoint } from "../record-item.ts";
import type { NotionContext } from "./context.ts";
import { isInDatabase, listDatabases, readDatabase } from "./database.ts";
import { readHtmlTitle } from "./html-page.ts";
import { notionManifest } from "./manifest.ts";
import { readMarkdownPage } from "./markdown-page.ts";
import { createPageTree, readPageName } from "./page-names.ts";
import { readNotionPage } from "./read-page.ts";

/** Reads the exports of Notion, Markdown & CSV or HTML: pages with their place, databases with their rows, and files. */
export const notion: Importer = {
  id: "notion",
  label: "Notion export",
  get manifest() {
    return notionManifest();
  },
  recognition: { kind: "export", find },
  read,
};

/** The signatures of files with an id in their name, by extension. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  ".md": /^\ufeff?\s*#[ \t]/,
  ".html": /^\s*(?:<!doctype html>\s*)?<html\b/i,
  ".csv": /^\ufeff?[^\n]/,
};

async function listPages(files: Files): Promise<FileEntry[]> {
  const pages: FileEntry[] = [];
  for (const entry of await listEntries(files)) {
    const beginning = BEGINNINGS[posix.extname(entry.path).toLowerCase()];
    if (!beginning || readPageName(entry.path).id === undefined) continue;
    if (beginning.test(await readHead(entry, 512))) pages.push(entry);
  }
  return pages;
}

const isTable = ({ path }: FileEntry) => /\.csv$/i.test(path);

async function find(files: Files): Promise<FoundExport[]> {
  const pages = await listPages(files);
  // Other programs may name a table by a digest.
  if (pages.every(isTable)) return [];
  const paths = pages.map(({ path }) => path);
  const tree = createPageTree(paths);
  const entries = (await listEntries(files)).map(({ path }) => path);
  const byRoot = Map.groupBy(paths, (path) => findRoot(path, tree.isPageFolder));
  const parents = new Set([...byRoot.keys()].map((root) => parentOf(root)));
  const [parent = ""] = parents;
  // The areas of a workspace, such as `Private & Shared`, are one export.
  const roots = byRoot.size > 1 && parents.size === 1 && !byRoot.has("") ? [parent] : [...byRoot.keys()];
  return roots.map((root) => {
    const isBeside = (path: string): boolean =>
      path.startsWith(root) && isInPage(path, root, tree.isPageFolder);
    const own = new Set([...paths, ...entries.filter(isBeside)].filter((path) => path.startsWith(root)));
    const reason = "the names of its pages end in the ids of Notion";
    return { root, confidence: "signature", reason, paths: [...own] };
  });
}

/** The folder that holds the outermost page above a page. */
function findRoot(path: string, isPageFolder: (folder: string) => boolean): string {
  const folders = path.split("/").slice(0, -1);
  const inside = folders.findIndex((_, at) => isPageFolder(folders.slice(0, at + 1).join("/")));
  return (inside < 0 ? folders : folders.slice(0, inside)).map((folder) => `${folder}/`).join("");
}

function parentOf(root: string): string {
  return root.replace(/[^/]+\/$/, "");
}

/** Files in the folders of pages, and the overview that the HTML export has. */
function isInPage(path: string, root: string, isPageFolder: (folder: string) => boolean): boolean {
  return (
    path === `${root}index.html` || findRoot(path, isPageFolder) !== path.slice(0, path.lastIndexOf("/") + 1)
  );
}

const PAGE_MAX_BYTES = 32 * 1024 ** 2;

async function* read(source: ImportSource): AsyncGenerator<ImportedItem> {
  const files = await listPages(source.files);
  if (files.length === 0) throw refuseFiles(source.files, notion.label);
  const databases = await listDatabases(files.filter(isTable));
  const tree = createPageTree(files.map(({ path }) => path));
  const context: NotionContext = { source, tree, databases };
  const pages = files.filter((file) => !isTable(file));
  const done = source.resume ?? "";
  for (const file of files) {
    if (done !== "" && file.path <= done) continue;
    const database = isTable(file) ? databases.get(readPageName(file.path).id ?? "") : undefined;
    const isRepeated = isTable(file) && database?.file.path !== file.path;
    if (isRepeated || (!isTable(file) && databases.has(readPageName(file.path).id ?? ""))) continue;
    const items = database
      ? readDatabase(
          context,
          database,
          await countTitles(pages.filter(({ path }) => isInDatabase(database, path))),
        )
      : readFile(context, file);
    yield* withCheckpoint(items, file.path);
  }
}

async function* readFile(context: NotionContext, file: FileEntry): AsyncGenerator<ImportedItem> {
  const content = await readWhole(file);
  if (typeof content === "string") yield* readNotionPage(context, file, content);
  else yield { kind: "rejected", place: file.path, reason: content.reason };
}

async function readWhole(file: FileEntry): Promise<string | { readonly reason: string }> {
  if (file.size_bytes > PAGE_MAX_BYTES)
    return { reason: `It has ${file.size_bytes} bytes; the limit is ${PAGE_MAX_BYTES}.` };
  try {
    return new TextDecoder().decode(await buffer(file.open()));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
    return { reason: error.message };
  }
}

const TITLE_BYTES = 64 * 1024;

/** How many pages have each title. Names of files are shortened, so that the title is in the page. */
async function countTitles(pages: readonly FileEntry[]): Promise<Map<string, number>> {
  const titles = new Map<string, number>();
  for (const file of pages) {
    const head = await readHead(file, TITLE_BYTES);
    const written = /\.html$/i.test(file.path)
      ? readHtmlTitle(head)
      : readMarkdownPage(head, new Set()).title;
    const title = written ?? readPageName(file.path).title;
    titles.set(title, (titles.get(title) ?? 0) + 1);
  }
  return titles;
}
