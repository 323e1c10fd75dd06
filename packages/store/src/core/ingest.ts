import type { Database, Row, WriteSql } from "../database.ts";
import type { IngestOutcome, Store } from "../store.ts";
import { BatchWriter } from "./batch-writer.ts";
import type { Catalog, WritablePart } from "./catalog.ts";
import type { Counters } from "./record-writer.ts";
import { mergeDueRuns } from "./runs.ts";

/** Records of a batch whose keys are looked up together. */
const LOOKUP_RECORDS = 256;

export function createIngest(database: Database, catalog: Catalog, now: () => Date) {
  /** Runs `work` in a transaction that holds the owner's counters. */
  async function withCounters<T>(
    owner: number,
    work: (sql: WriteSql, counters: Counters) => Promise<T>,
  ): Promise<T> {
    return database.write(owner, async (sql) => {
      const [row] = await sql.all<Counters & Row>(
        "SELECT next_doc, next_seq, next_run FROM owners WHERE owner = $1",
        [owner],
      );
      const counters = { ...(row as Counters) };
      const result = await work(sql, counters);
      await sql.run("UPDATE owners SET next_doc = $2, next_seq = $3, next_run = $4 WHERE owner = $1", [
        owner,
        counters.next_doc,
        counters.next_seq,
        counters.next_run,
      ]);
      return result;
    });
  }

  return {
    async ingest(owner_id, connection_id, batch) {
      const owner = await catalog.ownerNumber(owner_id);
      return withCounters(owner, async (sql, counters) => {
        const writer = new BatchWriter(sql, owner, counters, now().toISOString());
        const outcomes: IngestOutcome[] = [];
        const parts = new Map<string, WritablePart | undefined>();
        for (let start = 0; start < batch.length; start += LOOKUP_RECORDS) {
          const some = batch.slice(start, start + LOOKUP_RECORDS);
          for (const { stream } of some) {
            if (!parts.has(stream))
              parts.set(stream, await catalog.writablePart(sql, owner, connection_id, stream));
          }
          outcomes.push(...(await writer.writeAll(some, (stream) => parts.get(stream))));
        }
        if (parts.size === 0) await catalog.writablePart(sql, owner, connection_id, "");
        await writer.finish();
        return outcomes;
      });
    },

    async deleteRecord(owner_id, connection_id, stream, record_id) {
      const owner = await catalog.ownerNumber(owner_id);
      return withCounters(owner, async (sql, counters) => {
        const part = await catalog.writablePart(sql, owner, connection_id, stream);
        if (!part) return false;
        const at = now().toISOString();
        const writer = new BatchWriter(sql, owner, counters, at);
        const deleted = await writer.delete(part, record_id, at);
        await writer.finish();
        return deleted;
      });
    },

    async mergeIndex(owner_id) {
      const owner = await catalog.ownerNumber(owner_id);
      await withCounters(owner, async (sql, counters) => {
        const parts = await sql.all<{ part: number }>(
          "SELECT part FROM parts WHERE owner = $1 ORDER BY part",
          [owner],
        );
        for (const { part } of parts) await mergeDueRuns(sql, owner, part, counters);
      });
    },
  } satisfies Partial<Store>;
}
