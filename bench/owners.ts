/** Search and windows of one owner among many, compared with the same owner alone. */
import type { ReadScope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import type { Store } from "@rungs/store";
import { createRecords, toEnvelope, wordOf } from "./corpus.ts";
import { benchScope, CONNECTION, type Engine, OWNER, prepare } from "./engines.ts";
import { printTable, ratio, show, summarize } from "./measure.ts";

const BATCH = 1_000;
const RECORD_BYTES = 600;
/** Owners whose reads are timed: spread over all, so that caches hold none of them for the next. */
const READERS = 20;
const ROUNDS = 10;
const words = (...numbers: number[]) => numbers.map(wordOf).join(" ");

const READS: Readonly<Record<string, (store: Store, scope: ReadScope) => Promise<unknown>>> = {
  "search, rare word": (store, scope) => search(store, scope, wordOf(3_000)),
  "search, two common words": (store, scope) => search(store, scope, words(0, 1)),
  "search, five words": (store, scope) => search(store, scope, words(0, 3, 1, 400, 5_000)),
  window: (store, scope) =>
    store.readField(scope, { connection_id: CONNECTION, stream: "messages", record_id: "m7" }, "body", {
      start: 0,
      end: 500,
    }),
};

/** `alone` has one owner, `many` has `owners`; each owner has the same number of records. */
export async function benchOwners(
  alone: Engine,
  many: Engine,
  { owners, records }: { readonly owners: number; readonly records: number },
): Promise<void> {
  const names = Array.from({ length: owners }, (_, at) => `${OWNER}${at}`);
  await fill(alone.store, OWNER, records, 1);
  for (const [at, name] of names.entries()) {
    await prepare(many.store, name);
    await fill(many.store, name, records, at + 1);
  }
  const step = Math.max(1, Math.floor(owners / READERS));
  const readers = names.filter((_, at) => at % step === 0).slice(0, READERS);
  const rows: string[][] = [];
  for (const [kind, read] of Object.entries(READS)) {
    const times = { alone: [] as number[], many: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      // In turns, so that both see the same load of the machine.
      for (const name of readers) {
        times.alone.push(await clock(() => read(alone.store, { ...benchScope, owner_id: OWNER })));
        times.many.push(await clock(() => read(many.store, { ...benchScope, owner_id: name })));
      }
    }
    const [one, all] = [summarize(times.alone), summarize(times.many)];
    rows.push([kind, show(one), show(all), ratio(all.median / one.median), ratio(all.p95 / one.p95)]);
  }
  printTable(
    `${many.name}: one owner alone, and one of ${owners.toLocaleString("en")}, each with ${records.toLocaleString("en")} records, ms median / p95`,
    ["read", "alone", "among many", "median", "p95"],
    rows,
  );
}

async function fill(store: Store, owner_id: string, count: number, seed: number): Promise<void> {
  const records = [...createRecords(count, RECORD_BYTES, { seed })];
  for (let at = 0; at < count; at += BATCH)
    await store.ingest(owner_id, CONNECTION, records.slice(at, at + BATCH).map(toEnvelope));
}

function search(store: Store, scope: ReadScope, query: string): Promise<unknown> {
  return store.search(scope, { query: requireQuery(query), limit: 10 });
}

async function clock(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
