/** A record can change between being listed and having its long values read: its line is then read and written again. */
import { RecordChangedError } from "./write-data.ts";

/** How much of a line is read ahead before any of it is sent; a change in a longer one still aborts the answer. */
const HELD_CHARS = 1 << 20;
const ATTEMPTS = 10;

/** Writes a record's line, or a whole answer, in pieces and from one state of its records; undefined when there is nothing left to write. */
export async function writeConsistentLine<Content>(
  listed: Content,
  write: (content: Content) => AsyncGenerator<string>,
  readAgain: (content: Content) => Promise<Content | undefined>,
): Promise<AsyncGenerator<string> | undefined> {
  let content: Content | undefined = listed;
  for (let attempt = 0; content && attempt < ATTEMPTS; attempt += 1) {
    const line = write(content);
    const held = await readAhead(line);
    if (held) return joinPieces(held, line);
    content = await readAgain(content);
  }
  if (content) throw new RecordChangedError();
  return undefined;
}

/** The first pieces of a line; undefined when the record changed meanwhile. */
async function readAhead(line: AsyncGenerator<string>): Promise<string[] | undefined> {
  const held: string[] = [];
  try {
    for (let chars = 0; chars < HELD_CHARS; chars += held.at(-1)?.length ?? 0) {
      const { done, value } = await line.next();
      if (done) break;
      held.push(value);
    }
    return held;
  } catch (error) {
    if (error instanceof RecordChangedError) return undefined;
    throw error;
  }
}

async function* joinPieces(held: readonly string[], rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield* held;
  yield* rest;
}
