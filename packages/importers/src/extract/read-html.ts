import type { Extraction, ExtractionRequest } from "./extraction.ts";
import { htmlToText } from "./html-text.ts";

/** A longer page is read in another process, as a page of that size can take much memory. */
const PAGE_MAX_CHARS = 256 * 1024;

/** The text and the links of a page of any size. */
export async function readHtml(
  extractText: (request: ExtractionRequest) => Promise<Extraction>,
  html: string,
): Promise<{ readonly text: string; readonly links: readonly string[] }> {
  if (html.length <= PAGE_MAX_CHARS) return htmlToText(html);
  const extraction = await extractText({ bytes: Buffer.from(html), mime_type: "text/html" });
  const { text, links } = htmlToText(html.slice(0, PAGE_MAX_CHARS));
  return { text: extraction.kind === "text" ? extraction.text : text, links };
}
