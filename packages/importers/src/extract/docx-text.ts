import mammoth from "mammoth";
import { cleanText } from "../clean-text.ts";
import type { Extraction } from "./extraction.ts";
import type { ExtractionLimits } from "./limits.ts";
import { readZipMembers } from "./zip-parts.ts";

const TITLE = /<dc:title>([^<]*)<\/dc:title>/;
const CREATED = /<dcterms:created[^>]*>(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)<\/dcterms:created>/;

/** The text of a Word document, paragraph by paragraph. */
export async function extractDocx(bytes: Uint8Array, limits: ExtractionLimits): Promise<Extraction> {
  const parts = await readZipMembers(bytes, isTextPart, limits.unpacked_bytes);
  const { value } = await mammoth.extractRawText(asInput(parts));
  const properties = new TextDecoder().decode(parts.get("docProps/core.xml"));
  const title = decodeXml(TITLE.exec(properties)?.[1] ?? "").trim();
  const created_at = CREATED.exec(properties)?.[1];
  return {
    kind: "text",
    text: cleanText(value).trim(),
    ...(title === "" ? {} : { title }),
    ...(created_at === undefined ? {} : { created_at }),
  };
}

function isTextPart(name: string): boolean {
  return /\.(?:xml|rels)$/i.test(name);
}

/** mammoth's own unzipping is not bounded, and it takes an open archive instead: an object that reads parts by name. */
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

function decodeXml(text: string): string {
  return cleanText(text.replace(/&(lt|gt|quot|apos|amp);/g, (_whole, name: string) => ENTITIES[name] ?? ""));
}
