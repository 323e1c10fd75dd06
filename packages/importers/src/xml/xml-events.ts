/** XML as a stream of events, never a tree, whatever its size and nesting. */
import { ApiError } from "@rungs/contract";
import { Parser } from "htmlparser2";
import { detectUtf16 } from "../extract/decode-text.ts";

/** Callbacks for the events of a document. Names come without their prefix: `row` for `x:row`. */
export interface XmlEvents {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** How deep elements may nest: real documents stay below a hundred. */
const DEPTH_MAX = 1_000;

/** The most characters without an event: no real document has an attribute this long. */
const SILENCE_MAX_CHARS = 32 * 1024 ** 2;

/** Parses XML that arrives in pieces. */
export interface XmlParser {
  write(text: string): void;
  /** True if the root was closed and nothing was left open. */
  end(): boolean;
}

/** The only XML reader. `qualified` keeps the prefixes of names, for formats that use a name under several. */
export function createXmlParser(
  events: XmlEvents,
  { qualified = false }: { readonly qualified?: boolean } = {},
): XmlParser {
  const nameOf = qualified ? (name: string) => name : toLocalName;
  let [depth, elements, isEnded, isWhole] = [0, 0, false, true];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        elements += 1;
        if (depth > DEPTH_MAX) throw refuse(`it nests deeper than ${DEPTH_MAX} elements`);
        events.open?.(nameOf(name), attributes);
      },
      ontext: (text) => events.text?.(text),
      onclosetag(name) {
        depth -= 1;
        if (isEnded) isWhole = false;
        events.close?.(nameOf(name));
      },
    },
    { xmlMode: true },
  );
  return {
    write: (text) => parser.write(text),
    end() {
      isEnded = true;
      parser.end();
      return isWhole && elements > 0;
    },
  };
}

/** Parses bytes as they arrive and yields after each piece, so that the caller can take what its events collected. */
export async function* streamXml(
  bytes: AsyncIterable<Uint8Array>,
  events: XmlEvents,
): AsyncGenerator<undefined> {
  let silence = 0;
  const parser = createXmlParser({
    open(name, attributes) {
      silence = 0;
      events.open?.(name, attributes);
    },
    text(text) {
      silence = 0;
      events.text?.(text);
    },
    close: (name) => events.close?.(name),
  });
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const piece of bytes) {
    decoder ??= new TextDecoder(detectUtf16(piece) ?? "utf-8");
    silence += piece.length;
    try {
      parser.write(decoder.decode(piece, { stream: true }));
    } catch (error) {
      // Events before the failure are complete.
      yield;
      throw error;
    }
    if (silence > SILENCE_MAX_CHARS) throw refuse(`it has a tag of more than ${SILENCE_MAX_CHARS} bytes`);
    yield;
  }
  parser.end();
  yield;
}

/** Parses bytes to their end. */
export async function readXml(bytes: AsyncIterable<Uint8Array>, events: XmlEvents): Promise<void> {
  for await (const _ of streamXml(bytes, events));
}

/** The part of a name after its prefix. */
export function toLocalName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function refuse(why: string): ApiError {
  return new ApiError("file_unreadable", { message: `Its XML cannot be read: ${why}.` });
}
