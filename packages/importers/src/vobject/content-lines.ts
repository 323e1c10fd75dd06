/** The lines of calendars and contacts: unfolded (RFC 5545 §3.1, RFC 6350 §3.2) and decoded. */
import { createHash } from "node:crypto";
import { splitLines } from "@rungs/contract";
import { decodeText, detectUtf16 } from "../extract/decode-text.ts";
import type { FileEntry } from "../files/files.ts";

/** One unfolded line. */
export interface ContentLine {
  readonly text: string;
  /** The number of its first physical line, counted from 1. */
  readonly number: number;
}

/** A line may hold a picture. A folded line is truncated at this size. */
const MAX_LINE_BYTES = 32 * 1024 ** 2;

/** Stands for a line that is too long to hold: not a property, so its component reports it as unreadable. */
const TOO_LONG = Buffer.from("TOO-LONG");

/** The lines of a file in order, without empty ones. */
export async function* readContentLines(entry: FileEntry): AsyncGenerator<ContentLine> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let first = 1;
  const add = (part: Uint8Array): void => {
    size += part.length;
    if (size <= MAX_LINE_BYTES) parts.push(part);
  };
  const isOpenQuote = (): boolean =>
    parts.at(-1)?.at(-1) === EQUALS && isQuoted(Buffer.concat(parts.slice(0, 2)).toString("latin1"));
  const take = (): ContentLine => ({ text: decode(Buffer.concat(parts)), number: first });

  for await (const { number, bytes } of splitLines(toUtf8(entry), { max_bytes: MAX_LINE_BYTES })) {
    const line = trimReturn(bytes ?? TOO_LONG);
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
const CARRIAGE_RETURN = 0x0d;

function trimReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}

function decode(bytes: Buffer): string {
  const head = bytes.subarray(0, 200).toString("latin1");
  if (isQuoted(head)) return decodeQuotedLine(bytes);
  return decodeText(bytes, /[;]CHARSET="?([\w-]{2,40})/i.exec(head)?.[1]);
}

/** A value as vCard 2.1 and vCalendar 1.0 write it: `NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:caf=C3=A9`. */
const QUOTED = /^[^:"]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i;

/** Whether a line, by its beginning, has a quoted-printable value; such a line continues after a trailing `=`. */
function isQuoted(head: string): boolean {
  return QUOTED.test(head);
}

/** The same line with its value decoded, line breaks written as `\n`, and without encoding parameters. */
function decodeQuotedLine(line: Buffer): string {
  const latin = line.toString("latin1");
  const colon = latin.indexOf(":");
  const head = latin.slice(0, colon);
  const bytes = latin
    .slice(colon + 1)
    .replace(/=([0-9A-Fa-f]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const charset = /;CHARSET="?([\w-]{2,40})/i.exec(head)?.[1];
  const value = decodeText(Buffer.from(bytes, "latin1"), charset).replace(/\r\n?|\n/g, "\\n");
  return `${head.replace(/;(?:ENCODING=)?QUOTED-PRINTABLE/i, "").replace(/;CHARSET=[^;:]*/i, "")}:${value}`;
}

/** UTF-16 has a byte order mark; the mark of UTF-8 is removed. */
async function* toUtf8(entry: FileEntry): AsyncGenerator<Uint8Array> {
  const head = await entry.head(4);
  const mark = detectUtf16(head);
  const skip = Buffer.from(head).toString("latin1").startsWith("\xef\xbb\xbf") ? 3 : 0;
  if (mark === undefined) return yield* entry.open(skip);
  const decoder = new TextDecoder(mark);
  for await (const chunk of entry.open()) yield Buffer.from(decoder.decode(chunk, { stream: true }));
}

/** A key for a component without a UID: a digest of its lines. */
export function digestLines(lines: readonly ContentLine[]): string {
  return createHash("sha256")
    .update(lines.map(({ text }) => text).join("\n"))
    .digest("hex");
}
