import { isUtf8 } from "node:buffer";
import { decodeText } from "../extract/decode-text.ts";
import { decodeUtf7 } from "./utf7.ts";

/**
 * A header as the library reads it rightly: raw 8-bit characters, which RFC 5322 forbids and people's programs write,
 * become UTF-8 (RFC 6532), and encoded words in UTF-7 become encoded words in UTF-8.
 */
export function mendHeader(header: Buffer, charset: string | undefined): Buffer {
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
