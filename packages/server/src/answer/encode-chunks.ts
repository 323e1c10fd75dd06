/** The least size of a chunk, except for the last. */
const CHUNK_BYTES = 65_536;

/** Encodes many small pieces of text as fewer, larger chunks of UTF-8. */
export async function* encodeChunks(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece, "utf8");
    held.push(bytes);
    size += bytes.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held);
}
