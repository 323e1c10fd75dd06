import { htmlToText } from "../extract/html-text.ts";
import { readHtml } from "../extract/read-html.ts";
import type { ImportSource } from "../importer.ts";
import type { NotionPage } from "./markdown-page.ts";

const PROPERTIES = /<table class="properties">([\s\S]*?)<\/table>/;
const ROW = /<tr class="property-row[^"]*">\s*<th>([\s\S]*?)<\/th>\s*<td>([\s\S]*?)<\/td>/g;
const TITLE = /<h1 class="page-title"[^>]{0,200}>([\s\S]*?)<\/h1>/;
const PICTURES = /<img\b[^>]{0,500}?\bsrc="([^"]{1,2048})"/g;
/** How long the title and the properties may be together. */
const HEADER_MAX_CHARS = 64 * 1024;
/** The styles before the page. */
const ARTICLE = "<article";

/** Reads a page in HTML: Notion writes the title and the properties in a header before the body. */
export async function readHtmlPage(
  html: string,
  extractText: ImportSource["extractText"],
): Promise<NotionPage> {
  const start = Math.max(0, html.indexOf(ARTICLE));
  const end = Math.max(start, html.indexOf("</header>", start));
  const header = html.slice(start, Math.min(end, start + HEADER_MAX_CHARS));
  const properties: Record<string, string> = {};
  for (const [, name = "", value = ""] of (PROPERTIES.exec(header)?.[1] ?? "").matchAll(ROW)) {
    properties[htmlToText(name).text] = htmlToText(value).text;
  }
  const { text, links } = await readHtml(extractText, html.slice(end));
  const pictures = [...html.slice(end).matchAll(PICTURES)].map(
    ([, address = ""]) => htmlToText(address).text,
  );
  return { title: readHtmlTitle(header), text, properties, links: [...new Set([...links, ...pictures])] };
}

/** The title of a page, from its beginning. */
export function readHtmlTitle(html: string): string | undefined {
  const start = Math.max(0, html.indexOf(ARTICLE));
  const [, title = ""] = TITLE.exec(html.slice(start, start + HEADER_MAX_CHARS)) ?? [];
  return htmlToText(title).text || undefined;
}
