import { cleanText } from "../clean-text.ts";
import type { Extraction } from "./extraction.ts";
import type { ExtractionLimits } from "./limits.ts";
import { type OdtText, readOdt } from "./odt-body.ts";
import { Unreadable } from "./unreadable.ts";
import { decodeXml } from "./xml-text.ts";
import { readZipMembers } from "./zip-members.ts";

const PARTS = new Set(["content.xml", "styles.xml", "meta.xml"]);
const MARGIN = /<style:(header|footer)[ >][\s\S]*?<\/style:\1>/g;
const TITLE = /<dc:title>([^<]*)<\/dc:title>/;
const CREATED = /<meta:creation-date>(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z?<\/meta:creation-date>/;

/** The text of an OpenDocument text: its body, notes, comments, headers and footers. */
export async function extractOdt(bytes: Uint8Array, limits: ExtractionLimits): Promise<Extraction> {
  const parts = await readZipMembers(bytes, (name) => PARTS.has(name), limits.unpacked_bytes);
  const decode = (name: string): string => new TextDecoder().decode(parts.get(name));
  if (!parts.has("content.xml")) throw new Unreadable("It has no content.");
  const { text, is_whole } = readOdt(decode("content.xml"));
  const title = decodeXml(TITLE.exec(decode("meta.xml"))?.[1] ?? "").trim();
  const created = CREATED.exec(decode("meta.xml"))?.[1];
  return {
    kind: "text",
    text: cleanText([text, ...listMargins(decode("styles.xml"))].join("\n\n")).trim(),
    ...(title === "" ? {} : { title }),
    ...(created === undefined ? {} : { created_at: `${created}Z` }),
    ...(is_whole ? {} : { missing: "Its content ends early: the file is damaged." }),
  };
}

/** Headers and footers are in the styles of pages; each text once. */
function listMargins(styles: string): string[] {
  const texts = [...styles.matchAll(MARGIN)].map(([xml, kind]) => [kind, readOdt(xml)] as [string, OdtText]);
  const shown = texts.filter(([, { text }]) => text !== "");
  return [...new Set(shown.map(([kind, { text }]) => `${kind === "header" ? "Header" : "Footer"}: ${text}`))];
}
