import { type ByteLine, splitLines } from "@rungs/contract";
import { type BatchTarget, gatherBatches, type PendingItem, takeBatch } from "./batch.ts";
import { parseLine } from "./parse-line.ts";
import { createTally, type LinePlace, type Tally } from "./tally.ts";

/** Where records go, and how large one may be. */
export interface IngestTarget extends BatchTarget<LinePlace> {
  readonly line_bytes: number;
}

/**
 * Takes the records of a body into a connection, batch by batch as they arrive. A refused line does not stop the
 * others. When the body or the store breaks off, `tally` tells what was taken until then.
 */
export async function ingestLines(
  chunks: AsyncIterable<Uint8Array>,
  target: IngestTarget,
  tally: Tally = createTally(),
): Promise<Tally> {
  // Refuses an unknown connection before anything is read.
  await target.store.ingest(target.owner_id, target.connection_id, []);
  for await (const batch of gatherBatches(parseLines(chunks, target.line_bytes))) {
    await takeBatch(batch, target, tally);
  }
  return tally;
}

async function* parseLines(
  chunks: AsyncIterable<Uint8Array>,
  line_bytes: number,
): AsyncGenerator<PendingItem<LinePlace>> {
  for await (const line of splitLines(chunks, { max_bytes: line_bytes })) {
    if (isEmpty(line)) continue;
    const record = parseLine(line, line_bytes);
    yield { place: { line: line.number }, size_bytes: line.bytes?.length ?? 0, record };
  }
}

const CARRIAGE_RETURN = 0x0d;

function isEmpty({ bytes }: ByteLine): boolean {
  return bytes !== undefined && (bytes.length === 0 || (bytes.length === 1 && bytes[0] === CARRIAGE_RETURN));
}
