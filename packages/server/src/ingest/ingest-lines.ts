import type { RecordEnvelope } from "@rungs/contract";
import { Refusal } from "@rungs/evidence";
import type { IngestOutcome, Store } from "@rungs/store";
import { parseLine } from "./parse-line.ts";
import { readLines } from "./read-lines.ts";
import { countOutcome, createTally, type Tally } from "./tally.ts";

/** Where records go, and how large one may be. */
export interface IngestTarget {
  readonly store: Store;
  readonly owner_id: string;
  readonly connection_id: string;
  readonly line_bytes: number;
  /** Told after each batch. */
  readonly onBatch?: ((tally: Tally) => void) | undefined;
}

/** A batch is one transaction and is held whole. */
const BATCH_RECORDS = 500;
const BATCH_BYTES = 4 * 1024 ** 2;

interface Parsed {
  readonly line: number;
  readonly record: RecordEnvelope | Refusal;
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
  let batch: Parsed[] = [];
  let size = 0;
  for await (const line of readLines(chunks, target.line_bytes)) {
    batch.push({ line: line.number, record: parseLine(line, target.line_bytes) });
    size += line.bytes?.length ?? 0;
    if (batch.length < BATCH_RECORDS && size < BATCH_BYTES) continue;
    await writeBatch(batch, target, tally);
    batch = [];
    size = 0;
  }
  if (batch.length > 0) await writeBatch(batch, target, tally);
  return tally;
}

async function writeBatch(batch: readonly Parsed[], target: IngestTarget, tally: Tally): Promise<void> {
  const { store, owner_id, connection_id, onBatch } = target;
  const records = batch.flatMap(({ record }) => (record instanceof Refusal ? [] : [record]));
  const outcomes = (await store.ingest(owner_id, connection_id, records)).values();
  for (const { line, record } of batch) {
    const outcome = record instanceof Refusal ? refusedBy(record) : outcomes.next().value;
    if (outcome) countOutcome(tally, line, outcome);
  }
  onBatch?.(tally);
}

function refusedBy({ code, message, details }: Refusal): IngestOutcome {
  return { status: "rejected", code, message, param: details.param };
}
