import { cleanText } from "../clean-text.ts";

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** Decodes the entities of XML in the value of a property. */
export function decodeXml(text: string): string {
  return cleanText(text.replace(/&(lt|gt|quot|apos|amp);/g, (_whole, name: string) => ENTITIES[name] ?? ""));
}
