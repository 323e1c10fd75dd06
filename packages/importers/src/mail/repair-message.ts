/**
 * Repairs a message before the library parses it. postal-mime does not guess charsets, and for a part without a
 * transfer encoding it keeps objects for every line: a megabyte of blank lines takes more than a gigabyte.
 */
import { isUtf8 } from "node:buffer";
import { decodeText } from "../extract/decode-text.ts";
import { type MimePart, walkParts } from "./mime-walk.ts";
import { decodeOddText } from "./part-text.ts";
import { decodeUtf7 } from "./utf7.ts";

const LINES_MAX = 20_000;

/** Whether a message certainly needs repair; encoded parts show it only once they are decoded. */
export function needsRepair(bytes: Buffer): boolean {
  return !isUtf8(bytes) || bytes.includes("utf-7") || bytes.includes("UTF-7") || hasManyLines(bytes);
}

/** The same message in a form that the library parses correctly and in bounded memory. */
export function repairMessage(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let written = 0;
  for (const part of walkParts(bytes)) {
    chunks.push(bytes.subarray(written, part.header.start), ...repairPart(bytes, part));
    written = part.body.end;
  }
  return Buffer.concat([...chunks, bytes.subarray(written)]);
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

/** The first of two fields with the same name counts, so a field written before a header overrides it. */
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
 * Repairs a header: raw 8-bit characters, which RFC 5322 forbids and programs write anyway, become UTF-8 (RFC 6532), and
 * encoded words in UTF-7 become encoded words in UTF-8.
 */
function repairHeader(header: Buffer, charset: string | undefined): Buffer {
  const words = header.toString("latin1").replace(Q_WORD, escapeRaw).replace(UTF7_WORD, recodeWord);
  const bytes = Buffer.from(words, "latin1");
  return isUtf8(bytes) ? bytes : Buffer.from(decodeText(bytes, charset));
}

const Q_WORD = /=\?[^?\s]+\?q\?[^?]*\?=/gi;

/** Inside an encoded word a raw character has the charset of the word. */
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
