/** Ingest speed, compared with a bare insert with SQLite's FTS5 index. */

import { type BenchRecord, toEnvelope } from "./corpus.ts";
import { CONNECTION, type Engine, OWNER } from "./engines.ts";
import type { Fts5 } from "./fts5.ts";
import { printTable, ratio } from "./measure.ts";

const BATCH = 1_000;
const SHARES = 10;

/** Alternates between the variants, a tenth of the records each, so that both see the same machine load. */
export async function benchIngest(
  engines: readonly Engine[],
  fts5: Fts5,
  records: readonly BenchRecord[],
): Promise<void> {
  const ways: { name: string; ms: number; put: (batch: readonly BenchRecord[]) => unknown }[] = [
    { name: "bare insert with FTS5", ms: 0, put: (batch) => fts5.insert(batch) },
    ...engines.map(({ name, store }) => ({
      name,
      ms: 0,
      put: (batch: readonly BenchRecord[]) => store.ingest(OWNER, CONNECTION, batch.map(toEnvelope)),
    })),
  ];
  const share = Math.ceil(records.length / SHARES);
  for (let from = 0; from < records.length; from += share) {
    for (const way of ways) {
      const start = performance.now();
      const end = Math.min(records.length, from + share);
      for (let at = from; at < end; at += BATCH) await way.put(records.slice(at, Math.min(end, at + BATCH)));
      way.ms += performance.now() - start;
    }
  }
  // As at the end of an import.
  for (const { store } of engines) await store.tidy(OWNER);
  const bytes = records.reduce(
    (sum, record) => sum + Buffer.byteLength(record.subject) + Buffer.byteLength(record.body),
    0,
  );
  const bare = ways[0]?.ms ?? Number.NaN;
  printTable(
    `Ingest: ${records.length.toLocaleString("en")} records, ${(bytes / 1e6).toFixed(0)} MB of text`,
    ["way", "records/s", "MB/s", "against the bare insert"],
    ways.map(({ name, ms }) => [
      name,
      ((records.length / ms) * 1000).toFixed(0),
      (bytes / 1000 / ms).toFixed(1),
      ratio(bare / ms),
    ]),
  );
}
