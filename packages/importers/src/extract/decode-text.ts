import { isUtf8 } from "node:buffer";
import { guessCharset } from "./guess-charset.ts";

/** Decodes text: by its byte order mark, as valid UTF-8, by the claimed charset, else as windows-1252. */
export function decodeText(bytes: Uint8Array, claimed?: string): string {
  return new TextDecoder(detectUtf16(bytes) ?? chooseCharset(bytes, claimed)).decode(bytes);
}

/** Text, and a sentence if its charset is uncertain. */
interface DecodedDocument {
  readonly text: string;
  readonly uncertain?: string;
}

/** Decodes the text of a whole document; guesses an undeclared charset, for which short values are too short. */
export function decodeDocument(bytes: Uint8Array, claimed?: string): DecodedDocument {
  const isDeclared = detectUtf16(bytes) || isUtf8(bytes) || (claimed !== undefined && isKnown(claimed));
  if (isDeclared) return { text: decodeText(bytes, claimed) };
  const guess = guessCharset(bytes);
  if (guess !== undefined) return { text: decodeText(bytes, guess) };
  const uncertain =
    "Its character encoding is not declared and could not be detected; it was read as windows-1252.";
  return { text: decodeText(bytes), uncertain };
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
