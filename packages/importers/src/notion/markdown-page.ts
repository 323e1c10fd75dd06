import { readMarks } from "../documents/note-marks.ts";

/** A page without its markup for the title and the properties. */
export interface NotionPage {
  readonly title?: string | undefined;
  readonly text: string;
  readonly properties: Readonly<Record<string, string>>;
  /** Addresses and paths, as the page writes them. */
  readonly links: readonly string[];
}

/** Splits a page in Markdown: the title in the first line, then the properties if it is a row of a database with `columns`. */
export function readMarkdownPage(markdown: string, columns: ReadonlySet<string>): NotionPage {
  const [, title, rest = markdown] = /^\ufeff?\s*#[ \t]+([^\r\n]*)(?:\r?\n|$)([\s\S]*)$/.exec(markdown) ?? [];
  const lines = rest.replace(/^\s*\n/, "").split(/\r?\n/);
  const properties: Record<string, string> = {};
  let at = 0;
  for (; columns.size > 0 && at < lines.length; at += 1) {
    const [, name = "", value = ""] = /^([^:]{1,200}): (.*)$/.exec(lines[at]!) ?? [];
    if (!columns.has(name)) break;
    properties[name] = value;
  }
  return {
    title: title?.trim() || undefined,
    text: lines.slice(at).join("\n").trim(),
    properties,
    links: readMarks(rest).links,
  };
}
