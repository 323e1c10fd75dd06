/** The lines of calendars and contacts: unfolded (RFC 5545 §3.1, RFC 6350 §3.2) and decoded. */
import { decodeText, markOf } from "../extract/decode-text.ts";
import type { FileEntry } from "../files/files.ts";
import { decodeQuotedLine, isQuoted } from "./quoted-printable.ts";

/** One line, whole again. */
export interface ContentLine {
  readonly text: string;
  /** Of its first part in the file, counted from 1. */
  readonly number: number;
}

/** A line, with a picture in it, is held whole up to this size; the rest of a longer one is dropped. */
const MAX_LINE_BYTES = 32 * 1024 ** 2;

/** The lines of a file in their order, without the empty ones. */
export async function* readContentLines(entry: FileEntry): AsyncGenerator<ContentLine> {
  let parts: Buffer[] = [];
  let size = 0;
  let number = 0;
  let first = 1;
  const add = (part: Buffer): void => {
    size += part.length;
    if (size <= MAX_LINE_BYTES) parts.push(part);
  };
  const isOpenQuote = (): boolean =>
    parts.at(-1)?.at(-1) === EQUALS && isQuoted(Buffer.concat(parts.slice(0, 2)).toString("latin1"));
  const take = (): ContentLine => ({ text: decode(Buffer.concat(parts)), number: first });

  for await (const line of splitLines(toUtf8(entry))) {
    number += 1;
    const folded = line[0] === SPACE || line[0] === TAB;
    if (parts.length > 0 && isOpenQuote()) {
      parts.push(parts.pop()!.subarray(0, -1));
      add(folded ? line.subarray(1) : line);
    } else if (folded && parts.length > 0) add(line.subarray(1));
    else {
      if (parts.length > 0) yield take();
      parts = [];
      size = 0;
      first = number;
      if (line.length > 0) add(line);
    }
  }
  if (parts.length > 0) yield take();
}

const EQUALS = 0x3d;
const SPACE = 0x20;
const TAB = 0x09;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function decode(bytes: Buffer): string {
  const head = bytes.subarray(0, 200).toString("latin1");
  if (isQuoted(head)) return decodeQuotedLine(bytes);
  return decodeText(bytes, /[;]CHARSET="?([\w-]{2,40})/i.exec(head)?.[1]);
}

/** Lines are cut on bytes, because folding may part the bytes of a character. */
async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  const hold = (part: Buffer): void => {
    size += part.length;
    if (size <= MAX_LINE_BYTES) held.push(part);
  };
  const take = (): Buffer => {
    const line = Buffer.concat(held);
    held = [];
    size = 0;
    return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      hold(bytes.subarray(start, end));
      yield take();
      start = end + 1;
    }
    // A copy, because the chunk's memory may be used again.
    if (start < bytes.length) hold(Buffer.from(bytes.subarray(start)));
  }
  if (size > 0) yield take();
}

/** Files in UTF-16 say so in their first bytes; the mark of UTF-8 is taken off. */
async function* toUtf8(entry: FileEntry): AsyncGenerator<Uint8Array> {
  const head = await entry.head(4);
  const mark = markOf(head);
  const skip = Buffer.from(head).toString("latin1").startsWith("\xef\xbb\xbf") ? 3 : 0;
  if (mark === undefined) return yield* entry.open(skip);
  const decoder = new TextDecoder(mark);
  for await (const chunk of entry.open()) yield Buffer.from(decoder.decode(chunk, { stream: true }));
}
