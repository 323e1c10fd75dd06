const NAMES = ["NSString", "NSMutableString"].map((name) => Buffer.from(name, "latin1"));
const PLUS = 0x2b;
/** How far after the class name the string's marker may be. */
const MARKER_WINDOW = 24;

/**
 * The text of an attributed string, archived by Apple's `NSArchiver` (a typedstream): the first string object. Newer
 * versions of Messages leave the column `text` empty and write only this one.
 */
export function readAttributedText(archive: Uint8Array): string | undefined {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  for (const name of NAMES) {
    const at = bytes.indexOf(name);
    if (at < 0) continue;
    const start = at + name.length;
    const marker = bytes.subarray(start, start + MARKER_WINDOW).indexOf(PLUS);
    if (marker < 0) continue;
    const text = readString(bytes, start + marker + 1);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A length of one byte, or `0x81` and two bytes, or `0x82` and four, the lowest first; then UTF-8. */
function readString(bytes: Buffer, at: number): string | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  const width = first === 0x81 ? 2 : first === 0x82 ? 4 : 0;
  if (at + 1 + width > bytes.length) return undefined;
  const length = width === 0 ? first : bytes.readUIntLE(at + 1, width);
  const start = at + 1 + width;
  if (first === 0 || start + length > bytes.length) return undefined;
  return bytes.subarray(start, start + length).toString("utf8");
}
