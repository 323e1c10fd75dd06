import { isUtf8 } from "node:buffer";
import { decodeText } from "../extract/decode-text.ts";
import type { PartClaims } from "./mime-walk.ts";
import { decodeUtf7 } from "./utf7.ts";

/**
 * Decodes a part whose charset the library gets wrong; undefined for others. These are UTF-7, which it does not know, plain
 * words that claim to be base64, and text that is not UTF-8 although it claims to be or claims nothing.
 */
export function decodeOddText(body: Buffer, claims: PartClaims): string | undefined {
  if (claims.charset !== undefined && UTF7.test(claims.charset)) {
    return decodeUtf7(decodeTransfer(body, claims.encoding).toString("latin1"));
  }
  if (claims.encoding === "base64" && WORDS.test(body.toString("latin1", 0, 1024))) return decodeText(body);
  if (claims.charset !== undefined && !UTF8.test(claims.charset)) return undefined;
  const bytes = decodeTransfer(body, claims.encoding);
  // UTF-8 with a few broken places is still UTF-8: reading it as windows-1252 would lose more characters.
  return isUtf8(bytes) || isMostlyUtf8(bytes) ? undefined : decodeText(bytes);
}

const UTF7 = /^(?:unicode-1-1-|x-unicode-2-0-)?utf-?7$/;
/** Base64 has no spaces inside its lines. */
const WORDS = /\w +\w/;
const UTF8 = /^utf-?8$/;

function isMostlyUtf8(bytes: Buffer): boolean {
  const text = bytes.toString("utf8");
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const good = text.match(/[\u0080-\ufffc\u{10000}-\u{10ffff}]/gu)?.length ?? 0;
  return good > broken;
}

/** The bytes of a part without its transfer encoding. */
export function decodeTransfer(body: Buffer, encoding: string): Buffer {
  if (encoding === "base64") return Buffer.from(body.toString("latin1"), "base64");
  return encoding === "quoted-printable" ? decodeQuotedPrintable(body) : body;
}

function decodeQuotedPrintable(body: Buffer): Buffer {
  const text = body.toString("latin1").replace(/=[ \t]*\r?\n/g, "");
  const decoded = text.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(decoded, "latin1");
}
