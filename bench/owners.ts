/** Search and windows of one owner among many, compared with the same owner alone. */
import assert from "node:assert/strict";
import type { ReadScope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import type { Store } from "@rungs/store";
import { copyOwner } from "./copy-owner.ts";
import { createRecords, toEnvelope, wordOf } from "./corpus.ts";
import { benchScope, CONNECTION, type Engine, measureDisk, OWNER, prepare } from "./engines.ts";
import { printTable, ratio, show, summarize } from "./measure.ts";

const BATCH = 1_000;
const RECORD_BYTES = 600;
/** Owners whose records are written by the store itself; they differ. */
const WRITTEN = 5;
/** Owners whose reads are timed: spread over all owners, so that caches do not help the next one. */
const READERS = 20;
const ROUNDS = 10;
const words = (...numbers: number[]) => numbers.map(wordOf).join(" ");

export const READS: Readonly<Record<string, (store: Store, scope: ReadScope) => Promise<unknown>>> = {
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
  await fill(alone, [OWNER], records);
  await fill(many, names, records);
  const step = Math.max(1, Math.floor(owners / READERS));
  const readers = names.filter((_, at) => at % step === 0).slice(0, READERS);
  const rows: string[][] = [];
  for (const [kind, read] of Object.entries(READS)) {
    const times = { alone: [] as number[], many: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      // Interleaved, so that both see the same machine load.
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
  const bytes = await measureDisk(many);
  printTable(
    `${many.name}, disk of ${owners.toLocaleString("en")} owners`,
    ["GB", "MB of an owner", `bytes of a record of about ${RECORD_BYTES}`],
    [[(bytes / 1e9).toFixed(1), (bytes / owners / 1e6).toFixed(1), (bytes / owners / records).toFixed(0)]],
  );
}

/**
 * Gives each owner records. The first few are written as usual, and the others are copies of their rows, so that a
 * thousand owners take minutes instead of hours. Owners from an earlier run stay.
 */
async function fill(engine: Engine, names: readonly string[], records: number): Promise<void> {
  const { store } = engine;
  const found = new Set(await store.listOwners());
  const isThere = async (name: string) => found.has(name) && (await isFull(store, name, records));
  const sources = names.slice(0, WRITTEN);
  for (const [at, name] of sources.entries()) {
    if (!(await isThere(name))) await write(store, name, records, at + 1);
    const copies = names.filter((_, other) => other >= WRITTEN && other % WRITTEN === at);
    const missing = [];
    for (const copy of copies) if (!(await isThere(copy))) missing.push(copy);
    if (missing.length === 0) continue;
    await copyOwner(engine, name, missing);
    await requireEqual(store, name, missing.at(-1) as string);
  }
  // The planner's statistics still describe the first owners.
  await store.tidy(names.at(-1) as string);
}

async function isFull(store: Store, owner_id: string, records: number): Promise<boolean> {
  const newest = `m${records - 1}`;
  const ref = { connection_id: CONNECTION, stream: "messages", record_id: newest };
  return (await store.getRecord({ ...benchScope, owner_id }, ref)) !== undefined;
}

async function write(store: Store, owner_id: string, count: number, seed: number): Promise<void> {
  await prepare(store, owner_id);
  const records = [...createRecords(count, RECORD_BYTES, { seed })];
  for (let at = 0; at < count; at += BATCH)
    await store.ingest(owner_id, CONNECTION, records.slice(at, at + BATCH).map(toEnvelope));
  await store.tidy(owner_id);
}

/** A copy must answer like the owner whose rows it copied. */
async function requireEqual(store: Store, source: string, copy: string): Promise<void> {
  for (const read of Object.values(READS)) {
    const [expected, found] = [
      await read(store, { ...benchScope, owner_id: source }),
      await read(store, { ...benchScope, owner_id: copy }),
    ];
    assert.deepEqual(found, expected);
  }
  assert.deepEqual(await store.check(copy), []);
}

function search(store: Store, scope: ReadScope, query: string): Promise<unknown> {
  return store.search(scope, { query: requireQuery(query), limit: 10 });
}

async function clock(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
