/** One line of a body: its bytes, or the news that it was too long to be kept. */
export interface IngestLine {
  /** Counted from 1, empty ones too. */
  readonly number: number;
  readonly bytes: Buffer | undefined;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Cuts a stream of bytes into lines. A line longer than `max_bytes` is passed over without being held; empty ones are skipped. */
export async function* readIngestLines(
  chunks: AsyncIterable<Uint8Array>,
  max_bytes: number,
): AsyncGenerator<IngestLine> {
  let number = 1;
  let held: Buffer[] = [];
  let size = 0;

  const add = (part: Buffer): void => {
    size += part.length;
    if (size > max_bytes) held = [];
    else held.push(part);
  };
  const take = (): IngestLine => {
    const line = { number, bytes: size > max_bytes ? undefined : Buffer.concat(held) };
    number += 1;
    held = [];
    size = 0;
    return line;
  };

  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      add(bytes.subarray(start, end));
      const line = take();
      if (!isEmpty(line)) yield line;
      start = end + 1;
    }
    add(bytes.subarray(start));
  }
  const last = take();
  if (!isEmpty(last)) yield last;
}

function isEmpty({ bytes }: IngestLine): boolean {
  return bytes !== undefined && (bytes.length === 0 || (bytes.length === 1 && bytes[0] === CARRIAGE_RETURN));
}
