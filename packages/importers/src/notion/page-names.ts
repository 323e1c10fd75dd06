/** Names in an export of Notion end in the page's id: `Plan 0123456789abcdef0123456789abcdef.md`. */
import { posix } from "node:path";

const NAMED = /^(.*?)\s?([0-9a-f]{32})(?:_all)?$/s;

/** The parts of a name: the title, shortened by Notion, and the id. */
export interface PageName {
  readonly title: string;
  readonly id?: string | undefined;
}

/** Reads the name of a file or folder. */
export function readPageName(path: string): PageName {
  const stem = posix.basename(path).replace(/\.(?:md|csv|html)$/i, "");
  const [, title = stem, id] = NAMED.exec(stem) ?? [];
  return { title, id };
}

/** Which page each folder belongs to, and where pages are. */
export interface PageTree {
  /** The titles above a page, from the root of the export on. */
  describePath(path: string): string;
  findParent(path: string): string | undefined;
  /** Whether a folder belongs to a page. */
  isPageFolder(folder: string): boolean;
}

/** Builds the tree from the paths of pages. Newer exports leave the id out of folder names. */
export function createPageTree(paths: readonly string[]): PageTree {
  const ids = new Map<string, string>();
  for (const path of paths) {
    const { title, id } = readPageName(path);
    if (id === undefined) continue;
    const folder = posix.dirname(path);
    const stem = posix.basename(path).replace(/(?:_all)?\.[^.]*$/, "");
    ids.set(posix.join(folder, stem), id);
    // Of two pages with the same title, the first owns the folder.
    const named = posix.join(folder, title);
    if (!ids.has(named)) ids.set(named, id);
  }
  const findId = (folder: string): string | undefined => ids.get(folder) ?? readPageName(folder).id;
  return {
    describePath(path) {
      const folders = posix.dirname(path).split("/");
      const inside = folders.findIndex((_, at) => findId(folders.slice(0, at + 1).join("/")) !== undefined);
      return inside < 0
        ? ""
        : folders
            .slice(inside)
            .map((folder) => readPageName(folder).title)
            .join(" / ");
    },
    findParent: (path) => findId(posix.dirname(path)),
    isPageFolder: (folder) => findId(folder) !== undefined,
  };
}
