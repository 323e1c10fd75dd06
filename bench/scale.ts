/** Search as records grow: questions and plain searches, the cost of vectors, and the memory of a busy server. */
import { Agent } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { requireQuery } from "@rungs/evidence";
import { type BenchRecord, createRecords, toEnvelope } from "./corpus.ts";
import {
  benchScope,
  CONNECTION,
  connectPostgres,
  type Engine,
  OWNER,
  openPostgresEngine,
  openSqliteEngine,
} from "./engines.ts";
import { createEnglish } from "./english.ts";
import { printTable, ratio, show, summarize } from "./measure.ts";
import { readMemory } from "./processes.ts";
import { createToken, fetchText, startServers, stopServers } from "./servers.ts";

const RECORD_BYTES = 500;
const BATCH = 1_000;
/** The two stores alternate after this many records, so that both see the same machine load. */
const TURN = 10_000;
const HITS = 10;
const ROUNDS = 20;
const ANSWERS = 200;
const READERS = 4;

const word = createEnglish();
const words = (...ranks: number[]) => ranks.map(word).join(" ");

/** Common words are in most records; a question has three of them, and two that carry its topic. */
const pairs = [words(0, 1), words(1, 2), words(2, 3), words(3, 5), words(0, 7)];
const queries = {
  "two common words, both required": pairs.map((pair) => pair.replace(/\S+/g, "+$&")),
  "two common words": pairs,
  "question of five words": [
    words(0, 3, 1, 400, 5_000),
    words(1, 5, 2, 900, 7_000),
    words(2, 0, 7, 1_500, 300),
    words(4, 1, 0, 2_500, 12_000),
    words(6, 2, 8, 600, 30_000),
  ],
};

const open = { SQLite: openSqliteEngine, PostgreSQL: openPostgresEngine };

/** Grows each engine to each of the sizes, and measures there. */
export async function benchScale(engines: readonly string[], sizes: readonly number[]): Promise<void> {
  for (const name of engines) {
    const openEngine = open[name as keyof typeof open];
    if (!openEngine)
      throw new Error(`There is no engine ${name}; there are ${Object.keys(open).join(", ")}.`);
    const plain = await openEngine({ embedder: null });
    const vectors = await openEngine();
    const token = await createToken(vectors);
    const rows = { search: [] as string[][], growth: [] as string[][] };
    const growth = createGrowth(plain, vectors, Math.max(...sizes));
    for (const size of sizes) {
      const costs = await growth.growTo(size);
      rows.search.push(...(await measureSearches(vectors, size)));
      rows.growth.push([format(size), ...costs, ...(await measureMemory(vectors, token))]);
    }
    printTable(
      `Questions on ${name}: ms median / p95`,
      [
        "records",
        "query",
        "time",
        "p95, against two common words, both required",
        "p95, against two common words",
      ],
      rows.search,
    );
    printTable(
      `Growth on ${name}: records of about ${RECORD_BYTES} bytes`,
      [
        "records",
        "MB of text",
        "s to write without / with vectors",
        "time, at most 1.20×",
        "CPU of this process",
        "vectors, at most 0.50× the text",
        "server: MiB started / after answers / peak",
      ],
      rows.growth,
    );
    await plain.close();
    await vectors.close();
  }
}

interface Cost {
  ms: number;
  cpu_ms: number;
}

function createGrowth(plain: Engine, vectors: Engine, most: number) {
  const records = createRecords(most, RECORD_BYTES, { word });
  const costs = new Map<Engine, Cost>([plain, vectors].map((engine) => [engine, { ms: 0, cpu_ms: 0 }]));
  let count = 0;
  let bytes = 0;
  return {
    /** Writes records to both; returns the cells of the cost so far. */
    async growTo(size: number): Promise<string[]> {
      while (count < size) {
        const some = take(records, Math.min(TURN, size - count));
        bytes += some.reduce((sum, { subject, body }) => sum + subject.length + body.length, 0);
        count += some.length;
        // Alternate which goes first, so that neither always inherits the other's garbage.
        const turn = Math.ceil(count / TURN) % 2 === 0 ? [plain, vectors] : [vectors, plain];
        for (const engine of turn) await addCost(costs.get(engine)!, () => put(engine, some));
      }
      for (const engine of [plain, vectors])
        await addCost(costs.get(engine)!, () => engine.store.tidy(OWNER));
      const [a, b] = [costs.get(plain)!, costs.get(vectors)!];
      return [
        (bytes / 1e6).toFixed(0),
        `${(a.ms / 1000).toFixed(0)} / ${(b.ms / 1000).toFixed(0)}`,
        ratio(b.ms / a.ms),
        ratio(b.cpu_ms / a.cpu_ms),
        ratio((await measureVectorTable(vectors)) / bytes),
      ];
    },
  };
}

function take(records: Generator<BenchRecord>, count: number): BenchRecord[] {
  return Array.from({ length: count }, () => records.next().value as BenchRecord);
}

async function put({ store }: Engine, records: readonly BenchRecord[]): Promise<void> {
  for (let at = 0; at < records.length; at += BATCH)
    await store.ingest(OWNER, CONNECTION, records.slice(at, at + BATCH).map(toEnvelope));
}

async function addCost(cost: Cost, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  cost.ms += performance.now() - start;
  cost.cpu_ms += (user + system) / 1000;
}

async function measureVectorTable({ name, place }: Engine): Promise<number> {
  if (name === "SQLite") {
    const database = new DatabaseSync(place, { readOnly: true });
    const row = database
      .prepare(
        "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name IN ('vectors', 'sqlite_autoindex_vectors_1')",
      )
      .get();
    database.close();
    return Number(row?.bytes);
  }
  const client = await connectPostgres(place);
  await client.query("VACUUM FULL vectors");
  const { rows } = await client.query("SELECT pg_total_relation_size('vectors') AS bytes");
  await client.end();
  return Number(rows[0].bytes);
}

/** Interleave the kinds of query, so that their p95 cover the same minutes. */
async function measureSearches({ store }: Engine, size: number): Promise<string[][]> {
  const times = new Map(Object.keys(queries).map((kind) => [kind, [] as number[]]));
  for (let round = -1; round < ROUNDS; round += 1) {
    for (let at = 0; at < pairs.length; at += 1) {
      for (const [kind, list] of Object.entries(queries)) {
        const query = requireQuery(list[at] as string);
        const start = performance.now();
        await store.search(benchScope, { query, limit: HITS });
        // The first round fills the caches.
        if (round >= 0) times.get(kind)?.push(performance.now() - start);
      }
    }
  }
  const timings = Array.from(times, ([kind, list]) => ({ kind, timing: summarize(list) }));
  return timings.map(({ kind, timing }) => [
    format(size),
    kind,
    show(timing),
    ...timings.slice(0, 2).map((base) => ratio(timing.p95 / base.timing.p95)),
  ]);
}

/** The resident memory of a server process, before and after it answers questions of several readers at once. */
async function measureMemory(engine: Engine, token: string): Promise<string[]> {
  const [server] = await startServers(engine, 1);
  if (!server) throw new Error("The server did not start.");
  const agent = new Agent({ keepAlive: true, maxSockets: READERS });
  const list = Object.values(queries).flat();
  const ask = (number: number) => {
    const q = encodeURIComponent(list[number % list.length] as string);
    return fetchText(agent, `${server.url}/v1/search?q=${q}`, token);
  };
  await ask(0);
  const started = readMemory(server.process.pid, "VmRSS");
  await Promise.all(
    Array.from({ length: READERS }, async (_, reader) => {
      for (let number = reader; number < ANSWERS; number += READERS) await ask(number);
    }),
  );
  const [after, peak] = (["VmRSS", "VmHWM"] as const).map((kind) => readMemory(server.process.pid, kind));
  agent.destroy();
  await stopServers([server]);
  return [`${started} / ${after} / ${peak}`];
}

function format(count: number): string {
  return count.toLocaleString("en");
}
