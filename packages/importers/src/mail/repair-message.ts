/**
 * Repairs a message before the library parses it. postal-mime does not guess charsets, and for a part without a
 * transfer encoding it keeps objects for every line: a megabyte of blank lines takes more than a gigabyte.
 */
import { isUtf8 } from "node:buffer";
import { decodeText } from "../extract/decode-text.ts";
import { parseMailDate } from "./mail-date.ts";
import { type MimePart, type PartClaims, walkParts } from "./mime-walk.ts";
import { decodeOddText, decodeTransfer } from "./part-text.ts";
import { decodeUtf7 } from "./utf7.ts";

const LINES_MAX = 20_000;

/** Header words that suggest a repair, in the spellings that programs use. */
const WORDS = ["utf-7", "UTF-7", "message/rfc822", "Message/RFC822", "MESSAGE/RFC822", "message/RFC822"];
const INLINE = /\binline[ \t]*;/i;

/** Whether a message may need repair; encoded parts reveal it only once decoded. */
export function needsRepair(bytes: Buffer): boolean {
  if (!isUtf8(bytes) || WORDS.some((word) => bytes.includes(word)) || hasManyLines(bytes)) return true;
  const [root] = walkParts(bytes);
  if (root?.claims.loose_boundary !== undefined) return true;
  return bytes.includes("filename") && INLINE.test(bytes.toString("latin1"));
}

/** The same message in a form that the library parses correctly and in bounded memory. */
export function repairMessage(bytes: Buffer, is_inner = false): Buffer {
  const chunks: Buffer[] = [];
  let written = 0;
  const parts = [...walkParts(bytes, is_inner)];
  const hasBody = parts.some(({ claims }) => isText(claims) && !claims.named);
  for (const part of parts) {
    const fields = overrideFields(bytes, part, hasBody);
    chunks.push(bytes.subarray(written, part.header.start), Buffer.from(fields), ...repairPart(bytes, part));
    written = part.body.end;
  }
  return Buffer.concat([...chunks, bytes.subarray(written)]);
}

function isText({ type, attached }: PartClaims): boolean {
  return (type === "" || type.startsWith("text/")) && !attached;
}

/** Header fields to write before those of a part: the first of two fields with the same name counts. */
function overrideFields(bytes: Buffer, part: MimePart, has_body: boolean): string {
  const { header, claims, alternative, is_inner } = part;
  const fields: string[] = [];
  if (claims.loose_boundary !== undefined) {
    fields.push(`Content-Type: ${claims.type}; boundary="${claims.loose_boundary}"\n`);
  }
  const text = bytes.toString("latin1", header.start, header.end);
  // A text with a file name is an attachment, even if it is shown inline, if there is another text.
  if (has_body && claims.named && claims.type.startsWith("text/") && alternative === undefined) {
    fields.push(
      text.replace(/\r?\n[ \t]+/g, " ").replace(DISPOSITION, "Content-Disposition: attachment$1\n"),
    );
  }
  if (is_inner) fields.push(writeDate(text));
  return fields.join("");
}

const DISPOSITION = /^[\s\S]*?^content-disposition[ \t]*:[ \t]*inline([^\r\n]*)[\s\S]*$/im;

/**
 * Rewrites the date of an embedded message. The library writes the date into the text, in the machine's locale and time
 * zone, unless it cannot parse it. It cannot parse this form, which is the same on every machine.
 */
function writeDate(header: string): string {
  const [, value] = /^date[ \t]*:[ \t]*([^\r\n]*)/im.exec(header) ?? [];
  if (value === undefined) return "";
  const time = parseMailDate(value);
  if (time !== undefined) return `Date: ${time.slice(0, 10)} at ${time.slice(11, 19)} UTC\n`;
  return Number.isNaN(Date.parse(value)) ? "" : `Date: ${value} as written\n`;
}

function repairPart(bytes: Buffer, { header, body, claims }: MimePart): Buffer[] {
  const head = repairHeader(bytes.subarray(header.start, header.end), claims.charset);
  const content = bytes.subarray(body.start, body.end);
  const text = isText(claims) ? decodeOddText(content, claims) : undefined;
  if (text !== undefined) {
    const type = `${claims.type || "text/plain"}; charset=utf-8`;
    const flow = `${claims.flowed ? "; format=flowed" : ""}${claims.delsp ? "; delsp=yes" : ""}`;
    return [Buffer.from(`Content-Type: ${type}${flow}\n${BASE64}`), head, encode(Buffer.from(text))];
  }
  if (claims.type === "message/rfc822" && claims.encoding !== "" && !claims.attached) {
    const inner = decodeTransfer(content, claims.encoding);
    const repaired = repairMessage(inner, true);
    return repaired.equals(inner) ? [head, content] : [Buffer.from(BASE64), head, encode(repaired)];
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
 * Repairs a header: converts raw 8-bit characters, which RFC 5322 forbids and programs write anyway, to UTF-8 (RFC
 * 6532), and encoded words from UTF-7 to UTF-8.
 */
function repairHeader(header: Buffer, charset: string | undefined): Buffer {
  const words = header.toString("latin1").replace(Q_WORD, escapeRaw).replace(UTF7_WORD, recodeWord);
  const bytes = Buffer.from(words, "latin1");
  return isUtf8(bytes) ? bytes : Buffer.from(decodeText(bytes, charset));
}

const Q_WORD = /=\?[^?\s]+\?q\?[^?]*\?=/gi;

/** A raw character inside an encoded word has the word's charset. */
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
