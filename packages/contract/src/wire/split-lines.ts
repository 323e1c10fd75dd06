/** One line of a byte stream. */
export interface ByteLine {
  /** Counted from 1, empty lines too. */
  readonly number: number;
  /** Without the newline; undefined when the line is longer than `max_bytes`. */
  readonly bytes: Uint8Array | undefined;
  /** False only for bytes after the last newline. */
  readonly has_newline: boolean;
}

/** How to split. */
export interface LineOptions {
  readonly max_bytes: number;
  /** Returns the index of the line's end in a chunk, or -1. The default finds the next line feed. */
  readonly findEnd?: ((chunk: Uint8Array, from: number) => number) | undefined;
}

const LINE_FEED = 0x0a;

/**
 * Splits a byte stream into lines and holds at most `max_bytes` of one. It works on bytes because a chunk, or a folded
 * line of a calendar, may end inside a character; callers decode whole lines.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  { max_bytes, findEnd = findLineFeed }: LineOptions,
): AsyncGenerator<ByteLine> {
  let number = 0;
  let held: Uint8Array[] = [];
  let size = 0;
  const hold = (part: Uint8Array): void => {
    size += part.length;
    if (size > max_bytes) held = [];
    else held.push(part);
  };
  const take = (has_newline: boolean): ByteLine => {
    number += 1;
    const line = { number, bytes: size > max_bytes ? undefined : join(held, size), has_newline };
    held = [];
    size = 0;
    return line;
  };
  for await (const shared of chunks) {
    // One copy per chunk, because a reader may reuse its buffer; a copy per line is several times slower.
    const chunk = new Uint8Array(shared);
    let start = 0;
    for (let end = findEnd(chunk, 0); end >= 0; end = findEnd(chunk, start)) {
      hold(chunk.subarray(start, end));
      yield take(true);
      start = end + 1;
    }
    if (start < chunk.length) hold(chunk.subarray(start));
  }
  if (size > 0) yield take(false);
}

function findLineFeed(chunk: Uint8Array, from: number): number {
  return chunk.indexOf(LINE_FEED, from);
}

function join(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only, ...others] = parts;
  if (only && others.length === 0) return only;
  const line = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    line.set(part, at);
    at += part.length;
  }
  return line;
}
