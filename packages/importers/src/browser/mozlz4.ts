/** Files that Firefox compresses: a magic number, the size, and one LZ4 block. */

const MARK = Buffer.from("mozLz40\0", "latin1");

/** Whether a file is compressed in this way. */
export function isMozLz4(head: Uint8Array): boolean {
  return MARK.equals(head.subarray(0, MARK.length));
}

/** Decompresses a file; undefined for one that is malformed or larger than `max_bytes`. */
export function unpackMozLz4(file: Buffer, max_bytes: number): Buffer | undefined {
  const size = file.length < 12 ? Number.POSITIVE_INFINITY : file.readUInt32LE(8);
  if (size > max_bytes) return undefined;
  const out = Buffer.alloc(size);
  let [at, end] = [12, 0];
  const readLength = (start: number): number => {
    let length = start;
    if (start !== 15) return length;
    for (let byte = 255; byte === 255 && at < file.length; at += 1) {
      byte = file[at] ?? 0;
      length += byte;
    }
    return length;
  };
  while (at < file.length) {
    const token = file[at] ?? 0;
    at += 1;
    const literals = readLength(token >> 4);
    if (at + literals > file.length || end + literals > size) return undefined;
    end += file.copy(out, end, at, at + literals);
    at += literals;
    if (at >= file.length) break;
    if (at + 2 > file.length) return undefined;
    const distance = file.readUInt16LE(at);
    at += 2;
    const length = readLength(token & 15) + 4;
    if (distance === 0 || distance > end || end + length > size) return undefined;
    // A match may overlap its own output, so copy byte by byte.
    for (const stop = end + length; end < stop; end += 1) out[end] = out[end - distance] ?? 0;
  }
  return end === size ? out : undefined;
}
