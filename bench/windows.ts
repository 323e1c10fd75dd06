/** A window of 4,096 characters costs the same in a field of any size; the naive implementation reads the whole value. */
import { DatabaseSync } from "node:sqlite";
import { countChars } from "@rungs/evidence";
import { createRandom } from "../testing/random.ts";
import { benchScope, CONNECTION, connectPostgres, type Engine, OWNER } from "./engines.ts";
import { say } from "./figures.ts";
import { printTable, ratio, show, summarize, type Timing, time } from "./measure.ts";

const KIB = 1024;
const WINDOW = 4_096;
const TURNS = 1_000;
const PIECES = [
  "The quarterly report is attached. ",
  "会議は東京で午後三時から。",
  "😀👍🏽 ",
  "naïve café — über alles\n",
  "lorem ipsum dolor ",
];

export const fieldSizes: Readonly<Record<string, number>> = {
  "64 KiB": 64 * KIB,
  "1 MiB": KIB ** 2,
  "10 MiB": 10 * KIB ** 2,
  "100 MiB": 100 * KIB ** 2,
};

/** About `bytes` bytes of ASCII, CJK and emoji. */
export function mixedText(bytes: number): string {
  const random = createRandom(11);
  const pieces: string[] = [];
  for (let left = bytes; left > 0; ) {
    const piece = PIECES[Math.floor(random() * PIECES.length)] as string;
    pieces.push(piece);
    left -= Buffer.byteLength(piece);
  }
  return pieces.join("");
}

export async function benchWindows(engine: Engine, sizes: Readonly<Record<string, number>>): Promise<void> {
  const naive = engine.name === "SQLite" ? naiveSqlite() : await naivePostgres(engine.place);
  const rows: string[][] = [];
  const ends: (() => Promise<unknown>)[] = [];
  for (const [label, bytes] of Object.entries(sizes)) {
    const text = mixedText(bytes);
    const chars = countChars(text);
    await engine.store.ingest(OWNER, CONNECTION, [
      {
        stream: "messages",
        key: label,
        emitted_at: "2026-01-01T00:00:00Z",
        data: { id: label, subject: label, body: text },
      },
    ]);
    await naive.put(label, text);
    const ref = { connection_id: CONNECTION, stream: "messages", record_id: label };
    for (const [place, start] of [
      ["start", 0],
      ["middle", chars >> 1],
      ["end", chars - WINDOW],
    ] as const) {
      const near = Array.from({ length: 8 }, (_, at) => Math.max(0, start - at * 16));
      const read = (from: number) =>
        engine.store.readField(benchScope, ref, "body", { start: from, end: from + WINDOW });
      const ours = await time(near, 25, read);
      const theirs: Timing = await time(near.slice(0, 3), bytes > KIB ** 2 ? 1 : 5, (from) =>
        naive.read(label, from, WINDOW),
      );
      if (place === "end") ends.push(() => read(start));
      rows.push([label, place, show(ours), show(theirs), ratio(theirs.median / ours.median)]);
    }
  }
  printTable(
    `Windows, ${engine.name}: 4,096 characters, ms median / p95`,
    ["field", "at", "ours", "whole value and a slice", "faster"],
    rows,
  );
  await compareEnds(ends[0]!, ends.at(-1)!);
  await naive.close();
}

/** Alternates between the variants: at hundredths of a millisecond the machine load matters more than the field. */
async function compareEnds(smallest: () => Promise<unknown>, largest: () => Promise<unknown>): Promise<void> {
  const times: [number[], number[]] = [[], []];
  for (let turn = 0; turn < 2 * TURNS; turn += 1) {
    const start = performance.now();
    await (turn % 2 === 0 ? smallest : largest)();
    times[turn % 2]!.push(performance.now() - start);
  }
  const [small, large] = times.map((some) => summarize(some).median) as [number, number];
  say(`Largest field against smallest, at the end, ${TURNS} reads of each in turn: ${ratio(large / small)}`);
}

interface Naive {
  put(id: string, text: string): Promise<void>;
  read(id: string, start: number, length: number): Promise<unknown>;
  close(): Promise<void>;
}

function naiveSqlite(): Naive {
  const database = new DatabaseSync("");
  database.exec("CREATE TABLE naive (id TEXT PRIMARY KEY, body TEXT)");
  const insert = database.prepare("INSERT INTO naive VALUES (?, ?)");
  const read = database.prepare("SELECT substr(body, ? + 1, ?) AS piece FROM naive WHERE id = ?");
  return {
    put: async (id, text) => void insert.run(id, text),
    read: async (id, start, length) => read.get(start, length, id),
    close: async () => database.close(),
  };
}

async function naivePostgres(url: string): Promise<Naive> {
  const client = await connectPostgres(url);
  await client.query("CREATE TABLE naive (id TEXT PRIMARY KEY, body TEXT)");
  await client.query("ALTER TABLE naive ALTER COLUMN body SET STORAGE EXTERNAL");
  return {
    put: async (id, text) => void (await client.query("INSERT INTO naive VALUES ($1, $2)", [id, text])),
    read: (id, start, length) =>
      client.query("SELECT substring(body from $2::int + 1 for $3::int) AS piece FROM naive WHERE id = $1", [
        id,
        start,
        length,
      ]),
    close: () => client.end(),
  };
}

/** How much the process grows while it reads 1,000 windows spread over the largest field. */
export async function benchWindowMemory(engine: Engine, label: string): Promise<void> {
  const ref = { connection_id: CONNECTION, stream: "messages", record_id: label };
  const facts = await engine.store.describeField(benchScope, ref, "body");
  const random = createRandom(5);
  const readSome = async (count: number) => {
    for (let number = 0; number < count; number += 1) {
      const start = Math.floor(random() * (facts?.size_chars ?? 0));
      await engine.store.readField(benchScope, ref, "body", { start, end: start + WINDOW });
    }
  };
  await readSome(20);
  const before = measureMemory();
  await readSome(1_000);
  const after = measureMemory();
  say(
    `Memory, ${engine.name}: 1,000 windows of the ${label} field grow the process by ${((after - before) / KIB ** 2).toFixed(1)} MiB`,
  );
}

function measureMemory(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
