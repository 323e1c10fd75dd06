import type { RecordEnvelope } from "@rungs/contract";
import type { Catalog, WritablePartition } from "../catalog/catalog.ts";
import { type WriteContext, type WriteTarget, withCounters } from "../catalog/counters.ts";
import { compactSegments, mergeDueSegments } from "../search/segments.ts";
import type { IngestOutcome, Store } from "../store.ts";
import { BatchWriter } from "./batch-writer.ts";
import { forgetUnfinishedBlobs } from "./blobs.ts";

/** How many keys of a batch are looked up together. */
const LOOKUP_RECORDS = 256;

export function createIngest(target: WriteTarget, catalog: Catalog, now: () => Date) {
  const { database } = target;
  return {
    async ingest(owner_id, connection_id, batch) {
      const owner = await catalog.requireOwner(owner_id);
      const { outcomes, docs } = await withCounters(target, owner, async (context) => {
        const outcomes = await writeEnvelopes(context, catalog, { connection_id, batch, now: now() });
        return { outcomes, docs: context.counters.next_doc };
      });
      await database.analyzeIfGrown(docs);
      return outcomes;
    },

    async tidy(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      await withCounters(target, owner, async (context) => {
        const { sql, counters } = context;
        const partitions = await sql.all<{ part: number }>(
          "SELECT part FROM parts WHERE owner = $1 ORDER BY part",
          [owner],
        );
        for (const { part: partition } of partitions) {
          await mergeDueSegments(sql, owner, partition, counters);
          await compactSegments(sql, owner, partition, counters);
        }
        await forgetUnfinishedBlobs(context);
      });
      await database.analyze();
    },
  } satisfies Partial<Store>;
}

/** Records to write into a connection. */
export interface EnvelopeBatch {
  readonly connection_id: string;
  readonly batch: readonly RecordEnvelope[];
  readonly now: Date;
}

/** Writes a batch inside a transaction; returns the outcome of each envelope. */
export async function writeEnvelopes(
  context: WriteContext,
  catalog: Catalog,
  { connection_id, batch, now }: EnvelopeBatch,
): Promise<IngestOutcome[]> {
  const writer = new BatchWriter(context, catalog, now.toISOString());
  const outcomes: IngestOutcome[] = [];
  const partitions = new Map<string, WritablePartition | undefined>();
  for (let start = 0; start < batch.length; start += LOOKUP_RECORDS) {
    const some = batch.slice(start, start + LOOKUP_RECORDS);
    for (const { stream } of some) {
      if (!partitions.has(stream))
        partitions.set(stream, await catalog.openWritablePartition(context, connection_id, stream));
    }
    outcomes.push(...(await writer.writeAll(some, (stream) => partitions.get(stream))));
  }
  if (partitions.size === 0) await catalog.openWritablePartition(context, connection_id, "");
  await writer.finish();
  return outcomes;
}
