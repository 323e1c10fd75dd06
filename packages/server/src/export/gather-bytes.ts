/** How many bytes are gathered before they are sent on. */
const GATHER_BYTES = 65_536;

/** Turns many small pieces of text into fewer, larger ones of UTF-8. */
export async function* gatherBytes(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece, "utf8");
    held.push(bytes);
    size += bytes.length;
    if (size < GATHER_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held);
}
