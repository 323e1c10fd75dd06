import type { Email } from "postal-mime";
import { type HtmlText, htmlToText } from "../extract/html-text.ts";
import type { ImportSource } from "../importer.ts";

/** The part of a message that a person would read. */
export interface MessageBody {
  readonly body?: string | undefined;
  readonly body_source?: "plain" | "html" | undefined;
  readonly hidden_text?: string | undefined;
}

/** A page of nothing but tags takes 150 times its size in memory and a second per 400 kB, so a longer one is read in another process. */
const PAGE_MAX_CHARS = 256 * 1024;

/** The body: the plain text part, or the text of the HTML part where there is no other. */
export async function findBody(
  { text, html }: Email,
  { extractText }: Pick<ImportSource, "extractText">,
): Promise<MessageBody> {
  const plain = tidyText(text ?? "");
  if (plain !== "") return { body: plain, body_source: "plain" };
  if (html === undefined) return {};
  const { text: shown, title = "", hidden } = await readPage(html, extractText);
  return { body: tidyText(shown) || title, body_source: "html", hidden_text: hidden };
}

/** Where the other process hits its limits, this one reads the beginning. */
async function readPage(
  html: string,
  extractText: ImportSource["extractText"],
): Promise<Pick<HtmlText, "text" | "title" | "hidden">> {
  if (html.length <= PAGE_MAX_CHARS) return htmlToText(html);
  const page = await extractText({ bytes: Buffer.from(html), mime_type: "text/html" });
  return page.kind === "text" ? page : htmlToText(html.slice(0, PAGE_MAX_CHARS));
}

function tidyText(text: string): string {
  const unix = text.replaceAll("\r\n", "\n").trimEnd();
  return unix.trimStart() === "" ? "" : unix;
}
