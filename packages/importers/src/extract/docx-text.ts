import mammoth from "mammoth";
import { cleanText } from "../clean-text.ts";
import { type DocxDocument, renderDocx } from "./docx-body.ts";
import { listMargins } from "./docx-margins.ts";
import type { Extraction } from "./extraction.ts";
import type { ExtractionLimits } from "./limits.ts";
import { readZipMembers } from "./zip-members.ts";

const TITLE = /<dc:title>([^<]*)<\/dc:title>/;
const CREATED = /<dcterms:created[^>]*>(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)<\/dcterms:created>/;

/** The text of a Word document: its body, notes, comments, headers and footers. */
export async function extractDocx(bytes: Uint8Array, limits: ExtractionLimits): Promise<Extraction> {
  const parts = await readZipMembers(bytes, isTextPart, limits.unpacked_bytes);
  const body = await readWith(parts);
  const margins = await readMargins(parts);
  const properties = new TextDecoder().decode(parts.get("docProps/core.xml"));
  const title = decodeXml(TITLE.exec(properties)?.[1] ?? "").trim();
  const created_at = CREATED.exec(properties)?.[1];
  return {
    kind: "text",
    text: cleanText([body, ...margins.texts].join("\n\n")).trim(),
    ...(title === "" ? {} : { title }),
    ...(created_at === undefined ? {} : { created_at }),
    ...(margins.unread === 0
      ? {}
      : { missing: `${margins.unread} of its headers and footers could not be read.` }),
  };
}

/** mammoth hands over the document that it read before it writes HTML, which is left empty. */
async function readWith(parts: ReadonlyMap<string, Uint8Array>): Promise<string> {
  let text = "";
  await mammoth.convertToHtml(asInput(parts), {
    transformDocument: (document: DocxDocument) => {
      text = renderDocx(document);
      return { ...document, children: [] };
    },
  });
  return text;
}

/** The headers and footers, each text once: pages repeat them. */
async function readMargins(
  parts: ReadonlyMap<string, Uint8Array>,
): Promise<{ texts: readonly string[]; unread: number }> {
  const texts = new Set<string>();
  let unread = 0;
  for (const margin of listMargins(parts)) {
    try {
      const text = (await readWith(margin.parts)).trim();
      if (text !== "") texts.add(`${margin.label}: ${text}`);
    } catch {
      unread += 1;
    }
  }
  return { texts: [...texts], unread };
}

function isTextPart(name: string): boolean {
  return /\.(?:xml|rels)$/i.test(name);
}

/** mammoth unzips without a limit, but it accepts an open archive instead: an object that reads parts by name. */
function asInput(parts: ReadonlyMap<string, Uint8Array>): { buffer: Buffer } {
  const file = {
    exists: (name: string) => parts.has(name),
    read: async (name: string, encoding?: string) => {
      const part = parts.get(name) ?? new Uint8Array();
      return encoding === undefined ? part : new TextDecoder(encoding).decode(part);
    },
  };
  return { file } as unknown as { buffer: Buffer };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** Decodes the entities of XML in the value of a property. */
export function decodeXml(text: string): string {
  return cleanText(text.replace(/&(lt|gt|quot|apos|amp);/g, (_whole, name: string) => ENTITIES[name] ?? ""));
}
