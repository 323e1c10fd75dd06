import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import { type MentionedFile, yieldWithFiles } from "../chat/message-items.ts";
import { cleanText } from "../clean-text.ts";
import type { FileEntry } from "../files/files.ts";
import type { ImportSource } from "../importer.ts";
import type { NotionContext } from "./context.ts";
import { readHtmlPage } from "./html-page.ts";
import { readMarkdownPage } from "./markdown-page.ts";
import { readPageName } from "./page-names.ts";
import { describeProperties } from "./properties.ts";

/** The records of a page. */
export async function* readNotionPage(
  context: NotionContext,
  file: FileEntry,
  content: string,
): AsyncGenerator<ImportedItem> {
  const { source, tree, databases } = context;
  const name = readPageName(file.path);
  const parent_id = tree.findParent(file.path);
  const database = parent_id === undefined ? undefined : databases.get(parent_id);
  const page = /\.html$/i.test(file.path)
    ? await readHtmlPage(content, source.extractText)
    : readMarkdownPage(content, new Set(database?.columns));
  const targets = page.links.map((link) => resolveLink(file, link));
  yield* yieldWithFiles(source, {
    stream: "pages",
    place: file.path,
    key: [name.id ?? file.path],
    shared: {},
    data: {
      title: page.title ?? name.title,
      text: cleanText(page.text),
      kind: database ? "row" : "page",
      path: tree.describePath(file.path),
      parent_id,
      database_id: database && parent_id,
      ...describeProperties(page.properties),
      links: targets.flatMap(({ url }) => url ?? []),
      linked_ids: [...new Set(targets.flatMap(({ id }) => id ?? []))],
    },
    files: await listFiles(source, targets),
  });
}

/** Where a link leads: another page, an address, or a file of the export. */
interface Target {
  readonly id?: string | undefined;
  readonly url?: string | undefined;
  readonly path?: string | undefined;
}

function resolveLink(file: FileEntry, link: string): Target {
  const onWeb = /^https?:\/\/(?:www\.)?notion\.so\/[^?#]*?([0-9a-f]{32})(?:[?#]|$)/.exec(link)?.[1];
  if (onWeb !== undefined) return { id: onWeb };
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return { url: link };
  const path = posix.join(posix.dirname(file.path), decodePath(link.replace(/[?#].*$/s, "")));
  const { id } = /\.(?:md|csv|html)$/i.test(path) ? readPageName(path) : {};
  return id === undefined ? { path } : { id };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Files that a page shows or links to. Each belongs to the page that it is in. */
async function listFiles(source: ImportSource, targets: readonly Target[]): Promise<MentionedFile[]> {
  const files: MentionedFile[] = [];
  for (const path of new Set(targets.flatMap((target) => target.path ?? []))) {
    const entry = await source.files.find(path);
    if (entry) files.push({ name: posix.basename(path), entry });
  }
  return files;
}
