/** Reads the XML of a Word part event by event: neither its size nor its nesting is held as a tree. */
import { Parser } from "htmlparser2";
import { Unreadable } from "../unreadable.ts";

/** The value of an attribute, whatever the prefix of its name; undefined if it is missing. */
export type Attribute = (name: string) => string | undefined;

/** Called with the names of elements without their prefix: documents choose other prefixes than Word. */
export interface WordHandlers {
  open?(name: string, attribute: Attribute): void;
  text?(text: string): void;
  close?(name: string): void;
}

const CHUNK_BYTES = 1024 ** 2;
/** Real documents nest to some dozens; the parser's time grows with the depth. */
const MAX_DEPTH = 1000;

/** Walks through a part; false if it ends before its root does. */
export function walkWordXml(part: Uint8Array, handlers: WordHandlers): boolean {
  let [isEnded, isWhole, elements, depth] = [false, true, 0, 0];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        elements += 1;
        depth += 1;
        if (depth > MAX_DEPTH) throw new Unreadable("It nests too deep.");
        handlers.open?.(localName(name), (wanted) => findAttribute(attributes, wanted));
      },
      ontext: (text) => handlers.text?.(text),
      onclosetag(name) {
        depth -= 1;
        if (isEnded) isWhole = false;
        handlers.close?.(localName(name));
      },
    },
    { xmlMode: true },
  );
  const decoder = new TextDecoder(detectEncoding(part));
  for (let at = 0; at < part.length; at += CHUNK_BYTES) {
    parser.write(decoder.decode(part.subarray(at, at + CHUNK_BYTES), { stream: true }));
  }
  isEnded = true;
  parser.end(decoder.decode());
  return isWhole && elements > 0;
}

function detectEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function findAttribute(attributes: Readonly<Record<string, string>>, wanted: string): string | undefined {
  for (const name in attributes) if (localName(name) === wanted) return attributes[name];
  return undefined;
}

/** Parses a whole number. */
export function toInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
}
