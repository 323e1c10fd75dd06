/** A record can change between listing it and reading its long values: its line is then written again, and the export continues. */
import type { StoredRecord } from "@rungs/store";
import { RecordChangedError } from "./write-data.ts";

/** How much of a line is read ahead before any of it is sent; a change in a longer line still breaks the export off. */
const HELD_CHARS = 1 << 20;
const ATTEMPTS = 10;

/** Writes a record's line, in pieces, from one state of the record; undefined when the record no longer exists. */
export async function writeConsistentLine(
  listed: StoredRecord,
  write: (record: StoredRecord) => AsyncGenerator<string>,
  readAgain: (record: StoredRecord) => Promise<StoredRecord | undefined>,
): Promise<AsyncGenerator<string> | undefined> {
  let record: StoredRecord | undefined = listed;
  for (let attempt = 0; record && attempt < ATTEMPTS; attempt += 1) {
    const line = write(record);
    const held = await readAhead(line);
    if (held) return joinPieces(held, line);
    record = await readAgain(record);
  }
  if (record) throw new RecordChangedError();
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
