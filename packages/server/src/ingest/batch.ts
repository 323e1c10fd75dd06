import type { RecordEnvelope } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import type { IngestOutcome, Store } from "@rungs/store";
import { countOutcome, type Rejection, type Tally } from "./tally.ts";

/** A batch is one transaction, held in memory as a whole. */
const BATCH_RECORDS = 500;
const BATCH_BYTES = 4 * 1024 ** 2;

/** A record to store, or the error that rejects it. */
export interface PendingItem<Place> {
  readonly place: Place;
  readonly size_bytes: number;
  readonly record: RecordEnvelope | CodedError;
}

/** Where records go. */
export interface BatchTarget<Place> {
  readonly store: Store;
  readonly owner_id: string;
  readonly connection_id: string;
  /** Called after each batch. */
  readonly onBatch?: ((tally: Tally<Place>) => void) | undefined;
  /** Called for each rejected item after its batch was written. */
  readonly onRejected?: ((rejection: Rejection<Place>) => void) | undefined;
}

/** Collects items into batches. Once `stop` is aborted, the current batch is the last. */
export async function* collectBatches<T extends { readonly size_bytes: number }>(
  candidates: AsyncIterable<T>,
  stop?: AbortSignal | undefined,
): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  let size = 0;
  for await (const candidate of candidates) {
    batch.push(candidate);
    size += candidate.size_bytes;
    if (stop?.aborted) break;
    if (batch.length < BATCH_RECORDS && size < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Writes a batch and counts its outcomes. */
export async function writeBatch<Place>(
  batch: readonly PendingItem<Place>[],
  target: BatchTarget<Place>,
  tally: Tally<Place>,
): Promise<void> {
  const { store, owner_id, connection_id, onBatch, onRejected } = target;
  const records = batch.flatMap(({ record }) => (record instanceof CodedError ? [] : [record]));
  const outcomes = (await store.ingest(owner_id, connection_id, records)).values();
  for (const { place, record } of batch) {
    const outcome = record instanceof CodedError ? toRejectedOutcome(record) : outcomes.next().value;
    const rejection = outcome && countOutcome(tally, place, outcome);
    if (rejection) onRejected?.(rejection);
  }
  onBatch?.(tally);
}

function toRejectedOutcome({ code, message, details }: CodedError): IngestOutcome {
  return { status: "rejected", code, message, param: details.param };
}
