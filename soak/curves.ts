/** The cost of windows and searches as the data grows: rows and bytes read from the database, and time. */
import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import type { Store } from "@rungs/store";
import { createRecords, toEnvelope } from "../bench/corpus.ts";
import { benchScope, CONNECTION, type Engine, OWNER } from "../bench/engines.ts";
import { type Timing, time } from "../bench/measure.ts";
import { mixedText } from "../bench/windows.ts";
import { createRandom } from "../testing/random.ts";
import { wordFor } from "./notes.ts";

const RECORD_BYTES = 500;
const BATCH = 1_000;
const WINDOW = 4_096;
const LONG_BYTES = 1024 ** 2;
const WORDS = 5;
const FEW = 10;
const SPREAD = 97;
const SHARE = 100;
const ROUNDS = 5;

/** The cost of one kind of read at one size of the data. */
export interface CurvePoint {
  readonly kind: string;
  readonly records: number;
  readonly matches: number;
  /** What the cost may be proportional to. */
  readonly scale: number;
  /** Average of calls that were not made before. */
  readonly rows: number;
  readonly bytes: number;
  readonly timing: Timing;
}

/** Words planted in the records: some only in the first ten, some in every hundredth. */
const planted = {
  first: Array.from({ length: WORDS }, (_, at) => wordFor(500 + at)),
  few: Array.from({ length: WORDS }, (_, at) => wordFor(1_000 + at)),
  share: Array.from({ length: WORDS }, (_, at) => wordFor(2_000 + at)),
};

/** Grows a store step by step and measures at each size. */
export async function measureCurves({ store }: Engine, sizes: readonly number[]): Promise<CurvePoint[]> {
  const points: CurvePoint[] = [];
  const records = createRecords(Math.max(...sizes), RECORD_BYTES);
  await putLong(store);
  let count = 0;
  for (const size of sizes) {
    for (; count < size; count += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, size - count) }, () => records.next().value);
      await store.ingest(
        OWNER,
        CONNECTION,
        batch.map((record, at) => toEnvelope(plant(record!, count + at))),
      );
    }
    await store.tidy(OWNER);
    points.push(await measureWindows(store, size));
    for (const kind of ["first", "few", "share"] as const)
      points.push(await measureSearch(store, size, kind));
  }
  return points;
}

/** Windows cost the same at every size; the cost of a search grows no faster than its matches. */
export function requireFlat(points: readonly CurvePoint[]): void {
  for (const kind of new Set(points.map((point) => point.kind))) {
    const [first, ...later] = points.filter((point) => point.kind === kind);
    for (const point of later) {
      const growth = point.scale / first!.scale;
      for (const cost of ["rows", "bytes"] as const)
        assert.ok(
          point[cost] <= first![cost] * growth * SLACK + ROOM[cost],
          `${kind}: ${point[cost]} ${cost} at ${point.records} records, ${first![cost]} at ${first!.records}`,
        );
    }
  }
}

/** The index gains a few levels as it grows. */
const SLACK = 1.5;
const ROOM = { rows: 50, bytes: 50_000 };

type Planted = Parameters<typeof toEnvelope>[0];

function plant(record: Planted, number: number): Planted {
  const isFew = number < SPREAD * FEW;
  const words = [
    ...planted.first.filter((_, at) => isFew && number % SPREAD === at + WORDS),
    ...planted.few.filter((_, at) => isFew && number % SPREAD === at),
    ...planted.share.filter((_, at) => number % SHARE === at),
  ];
  return { ...record, body: `${record.body}${words.join(" ")}` };
}

async function putLong(store: Store): Promise<void> {
  const data = { id: "long", subject: "long", body: mixedText(LONG_BYTES), sent_at: "2026-01-01T00:00:00Z" };
  await store.ingest(OWNER, CONNECTION, [
    { stream: "messages", key: "long", emitted_at: "2026-01-01T00:00:00Z", data },
  ]);
}

async function measureWindows(store: Store, records: number): Promise<CurvePoint> {
  const random = createRandom(records);
  const ref = { connection_id: CONNECTION, stream: "messages", record_id: "long" };
  const starts = Array.from({ length: 20 }, () => Math.floor(random() * (LONG_BYTES / 4)));
  const read = (start: number) => store.readField(benchScope, ref, "body", { start, end: start + WINDOW });
  const cost = await countTraffic(store, starts, read);
  return { kind: "window", records, matches: 1, scale: 1, ...cost, timing: await time(starts, ROUNDS, read) };
}

const searchNames = {
  first: "search, the first of a process",
  few: "search, ten match",
  share: "search, one in 100 matches",
};

/** The first searches also load the columns that ranking needs, which are cached: their cost grows with the records. */
async function measureSearch(store: Store, records: number, kind: keyof typeof planted): Promise<CurvePoint> {
  const search = (word: string) => store.search(benchScope, { query: requireQuery(word), limit: 10 });
  const words = planted[kind];
  const cost = await countTraffic(store, words, search);
  const { count } = await search(words[0]!);
  assert.equal(count, kind === "share" ? Math.ceil(records / SHARE) : FEW);
  const timing = await time(words, ROUNDS, search);
  const scale = kind === "first" ? records : count;
  return { kind: searchNames[kind], records, matches: count, scale, ...cost, timing };
}

async function countTraffic<T>(store: Store, inputs: readonly T[], read: (input: T) => Promise<unknown>) {
  const { rows, bytes } = store.traffic;
  for (const input of inputs) await read(input);
  return {
    rows: (store.traffic.rows - rows) / inputs.length,
    bytes: (store.traffic.bytes - bytes) / inputs.length,
  };
}
