/**
 * Puts a message right before the library reads it. postal-mime does not guess charsets, and for a part without a
 * transfer encoding it keeps objects for every line, so that a megabyte of blank lines takes more than a gigabyte.
 */
import { isUtf8 } from "node:buffer";
import { decodeText } from "../extract/decode-text.ts";
import { type MimePart, walkParts } from "./mime-walk.ts";
import { decodeOddText } from "./part-text.ts";
import { decodeUtf7 } from "./utf7.ts";

const LINES_MAX = 20_000;

/** Whether a message has to be put right for sure; only its text can tell about encoded parts. */
export function needsRepair(bytes: Buffer): boolean {
  return !isUtf8(bytes) || bytes.includes("utf-7") || bytes.includes("UTF-7") || hasManyLines(bytes);
}

/** The same message in a form that is read rightly and in bounded memory. */
export function repairMessage(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let written = 0;
  for (const part of walkParts(bytes)) {
    pieces.push(bytes.subarray(written, part.header.start), ...repairPart(bytes, part));
    written = part.body.end;
  }
  return Buffer.concat([...pieces, bytes.subarray(written)]);
}

function repairPart(bytes: Buffer, { header, body, claims }: MimePart): Buffer[] {
  const head = repairHeader(bytes.subarray(header.start, header.end), claims.charset);
  const content = bytes.subarray(body.start, body.end);
  const isText = (claims.type === "" || claims.type.startsWith("text/")) && !claims.attached;
  const text = isText ? decodeOddText(content, claims) : undefined;
  if (text !== undefined) {
    const type = `${claims.type || "text/plain"}; charset=utf-8`;
    const flow = `${claims.flowed ? "; format=flowed" : ""}${claims.delsp ? "; delsp=yes" : ""}`;
    return [Buffer.from(`Content-Type: ${type}${flow}\n${BASE64}`), head, encode(Buffer.from(text))];
  }
  const isLong = claims.encoding === "" && !claims.type.startsWith("multipart/") && hasManyLines(content);
  return isLong ? [Buffer.from(BASE64), head, encode(content)] : [head, content];
}

/** The first of two fields of a name is the one that counts, so what is written before a header overrules it. */
const BASE64 = "Content-Transfer-Encoding: base64\n";

function encode(content: Buffer): Buffer {
  return Buffer.from(`${content.toString("base64")}\n`);
}

function hasManyLines(bytes: Buffer): boolean {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    lines += 1;
    if (lines > LINES_MAX) return true;
  }
  return false;
}

/**
 * A header as the library reads it rightly: raw 8-bit characters, which RFC 5322 forbids and people's programs write,
 * become UTF-8 (RFC 6532), and encoded words in UTF-7 become encoded words in UTF-8.
 */
function repairHeader(header: Buffer, charset: string | undefined): Buffer {
  const words = header.toString("latin1").replace(Q_WORD, escapeRaw).replace(UTF7_WORD, recodeWord);
  const bytes = Buffer.from(words, "latin1");
  return isUtf8(bytes) ? bytes : Buffer.from(decodeText(bytes, charset));
}

const Q_WORD = /=\?[^?\s]+\?q\?[^?]*\?=/gi;

/** Inside an encoded word a raw character is in the charset of the word. */
function escapeRaw(word: string): string {
  return word.replace(/[\x80-\xff]/g, (raw) => `=${raw.charCodeAt(0).toString(16).toUpperCase()}`);
}

const UTF7_WORD = /=\?utf-?7(?:\*[^?]*)?\?([qb])\?([^?]*)\?=/gi;

function recodeWord(_word: string, encoding: string, content: string): string {
  const encoded = /b/i.test(encoding)
    ? Buffer.from(content, "base64").toString("latin1")
    : content
        .replaceAll("_", " ")
        .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return `=?utf-8?B?${Buffer.from(decodeUtf7(encoded)).toString("base64")}?=`;
}
