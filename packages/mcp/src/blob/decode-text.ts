/** Whether bytes of this type are text that can be shown. */
export function isTextType(mime_type: string): boolean {
  return /^text\/|^application\/(?:json|xml|x-ndjson|yaml|javascript)\b|\+(?:json|xml)\b/i.test(mime_type);
}

/** The text of bytes up to the last whole character, and how many bytes that is. */
export function decodeBlobText(bytes: Buffer, isEnd: boolean): { text: string; used_bytes: number } {
  const used_bytes = isEnd ? bytes.length : bytes.length - countBroken(bytes);
  return { text: bytes.toString("utf8", 0, used_bytes), used_bytes };
}

/** The bytes at the end that begin a UTF-8 character and do not finish it. */
function countBroken(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length - 1); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}
