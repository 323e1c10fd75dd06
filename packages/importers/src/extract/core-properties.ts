import { decodeXml } from "./xml-text.ts";

const TITLE = /<dc:title>([^<]*)<\/dc:title>/;
const CREATED = /<dcterms:created[^>]*>(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)<\/dcterms:created>/;

/** The title and the date of an Office document (ECMA-376 part 2, §8), from its parts. */
export function readCoreProperties(parts: ReadonlyMap<string, Uint8Array>): {
  title?: string;
  created_at?: string;
} {
  const properties = new TextDecoder().decode(parts.get("docProps/core.xml"));
  const title = decodeXml(TITLE.exec(properties)?.[1] ?? "").trim();
  const created_at = CREATED.exec(properties)?.[1];
  return { ...(title === "" ? {} : { title }), ...(created_at === undefined ? {} : { created_at }) };
}
