import { isUtf8 } from "node:buffer";

/** Decodes text: by its byte order mark, as valid UTF-8, by the claimed charset, else as windows-1252. */
export function decodeText(bytes: Uint8Array, claimed?: string): string {
  return new TextDecoder(detectUtf16(bytes) ?? chooseCharset(bytes, claimed)).decode(bytes);
}

/** The byte order mark of UTF-16, which `TextDecoder` removes. */
export function detectUtf16(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

function chooseCharset(bytes: Uint8Array, claimed: string | undefined): string {
  if (isUtf8(bytes)) return "utf-8";
  return claimed !== undefined && isKnown(claimed) ? claimed : "windows-1252";
}

function isKnown(charset: string): boolean {
  try {
    new TextDecoder(charset);
    return true;
  } catch {
    return false;
  }
}
