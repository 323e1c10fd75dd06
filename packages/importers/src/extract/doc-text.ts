// @ts-expect-error The package has no types.
import Untyped from "word-extractor";
import { cleanText } from "../clean-text.ts";
import type { Extraction } from "./extraction.ts";
import { requireOleChains } from "./ole-file.ts";
import { Unreadable } from "./unreadable.ts";

type Part = (options: { readonly filterUnicode: boolean; readonly includeFooters?: boolean }) => string;
type PartName = "Body" | "Textboxes" | "Footnotes" | "Endnotes" | "Annotations" | "Headers" | "Footers";
type WordDocument = Readonly<Record<`get${PartName}`, Part>>;

const WordExtractor = Untyped as new () => { extract(file: Buffer): Promise<WordDocument> };

/** The text of a Word document of 1997 to 2003: its body, notes, comments, headers and footers. */
export async function extractDoc(bytes: Uint8Array): Promise<Extraction> {
  requireOleChains(bytes);
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const document = await new WordExtractor().extract(file).catch((error: unknown) => {
    if (/encrypt|password/i.test(String(error))) throw new Unreadable("It is protected by a password.");
    throw error;
  });
  // Not the library's filter, which turns quotation marks and dashes into ASCII.
  const plain = { filterUnicode: false };
  const parts: readonly (readonly [label: string, text: string])[] = [
    ["", document.getBody(plain)],
    ["", document.getTextboxes(plain)],
    ["Footnotes: ", document.getFootnotes(plain)],
    ["Endnotes: ", document.getEndnotes(plain)],
    ["Comments: ", document.getAnnotations(plain)],
    ["Header: ", document.getHeaders({ ...plain, includeFooters: false })],
    ["Footer: ", document.getFooters(plain)],
  ];
  const texts = parts.map(([label, text]) => [label, tidy(text)] as const).filter(([, text]) => text !== "");
  return { kind: "text", text: texts.map(([label, text]) => `${label}${text}`).join("\n\n") };
}

/** Table cells end with a tab; fields and pictures leave control characters behind. */
function tidy(text: string): string {
  return (
    cleanText(text)
      .replace(/\r\n?/g, "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes.
      .replace(/[\u0001-\u0008\u000b-\u001f]/g, "")
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim()
  );
}
