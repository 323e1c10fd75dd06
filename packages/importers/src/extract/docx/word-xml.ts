/** Reads the XML of a Word part event by event. */
import { createXmlParser, toLocalName } from "../../xml/xml-events.ts";
import { detectUtf16 } from "../decode-text.ts";

/** The value of an attribute, whatever the prefix of its name; undefined if it is missing. */
export type Attribute = (name: string) => string | undefined;

/** Called with element names without their prefix: documents may use other prefixes than Word. */
export interface WordHandlers {
  open?(name: string, attribute: Attribute): void;
  text?(text: string): void;
  close?(name: string): void;
}

const CHUNK_BYTES = 1024 ** 2;

/** Walks through a part; false if it ends before its root does. */
export function walkWordXml(part: Uint8Array, handlers: WordHandlers): boolean {
  const parser = createXmlParser({
    ...handlers,
    open: (name, attributes) => handlers.open?.(name, (wanted) => findAttribute(attributes, wanted)),
  });
  const decoder = new TextDecoder(detectUtf16(part) ?? "utf-8");
  for (let at = 0; at < part.length; at += CHUNK_BYTES) {
    parser.write(decoder.decode(part.subarray(at, at + CHUNK_BYTES), { stream: true }));
  }
  parser.write(decoder.decode());
  return parser.end();
}

function findAttribute(attributes: Readonly<Record<string, string>>, wanted: string): string | undefined {
  for (const name in attributes) if (toLocalName(name) === wanted) return attributes[name];
  return undefined;
}

/** Parses a whole number. */
export function toInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
}
