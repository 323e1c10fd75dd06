/** REST compared with the bare store call, 64 readers at once, and several server processes on one PostgreSQL, also as if each had a small machine. */
import { Agent } from "node:http";
import { requireQuery } from "@rungs/evidence";
import { createRecords, toEnvelope, wordOf } from "./corpus.ts";
import { benchScope, CONNECTION, type Engine, OWNER, openEngines } from "./engines.ts";
import { applyLoad, READERS, searchPath, windowPath } from "./load.ts";
import { printTable, show, summarize, type Timing, time } from "./measure.ts";
import { measureScaling, printScaling } from "./scaling.ts";
import { createToken, fetchText, type Server, startServers, stopServers } from "./servers.ts";
import { mixedText } from "./windows.ts";

const RECORDS = 20_000;
const SECONDS = 5;

export async function benchHttp(): Promise<void> {
  const engines = await openEngines();
  const rows: string[][] = [];
  const load: string[][] = [];
  const scaling: string[][] = [];
  for (const engine of engines) {
    const token = await prepare(engine);
    rows.push(...(await compareWithStore(engine, token)));
    for (const processes of engine.name === "PostgreSQL" ? [1, 2, 4] : [1])
      load.push(await measureLoad(engine, token, processes));
    if (engine.name === "PostgreSQL") scaling.push(...(await measureScaling(engine)));
    await engine.close();
  }
  printTable(
    "REST beside the bare store call, ms median / p95",
    ["engine", "call", "store", "REST", "overhead"],
    rows,
  );
  printTable(
    `${READERS} readers at once`,
    ["engine", "server processes", "requests/s", "median / p95 ms"],
    load,
  );
  printScaling(scaling);
}

async function prepare(engine: Engine): Promise<string> {
  const { store } = engine;
  const records = [...createRecords(RECORDS)];
  for (let at = 0; at < records.length; at += 1_000) {
    await store.ingest(OWNER, CONNECTION, records.slice(at, at + 1_000).map(toEnvelope));
  }
  const emitted_at = "2026-01-01T00:00:00Z";
  await store.ingest(OWNER, CONNECTION, [
    {
      stream: "messages",
      key: "long",
      emitted_at,
      data: { id: "long", subject: "long", body: mixedText(1024 ** 2) },
    },
  ]);
  return createToken(engine);
}

const offsets = [0, 100_000, 200_000, 300_000];
const rareWords = [20_000, 30_000, 40_000, 50_000];

async function compareWithStore(engine: Engine, token: string): Promise<string[][]> {
  const [server] = await startServers(engine, 1);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const get = (path: string) => fetchText(agent, `${(server as Server).url}${path}`, token);
  const ref = { connection_id: CONNECTION, stream: "messages", record_id: "long" };
  const calls: [string, Timing, Timing][] = [
    [
      "field-window",
      await time(offsets, 100, (start) =>
        engine.store.readField(benchScope, ref, "body", { start, end: start + 4_096 }),
      ),
      await time(offsets, 100, (start) => get(windowPath(start))),
    ],
    [
      "search, rare word",
      await time(rareWords, 50, (word) =>
        engine.store.search(benchScope, { query: requireQuery(wordOf(word)), limit: 10 }),
      ),
      await time(rareWords, 50, (word) => get(searchPath(word))),
    ],
  ];
  agent.destroy();
  await stopServers([server as Server]);
  return calls.map(([call, bare, rest]) => [
    engine.name,
    call,
    show(bare),
    show(rest),
    `${(rest.median - bare.median).toFixed(2)} ms`,
  ]);
}

async function measureLoad(engine: Engine, token: string, processes: number): Promise<string[]> {
  const servers = await startServers(engine, processes);
  const times = await applyLoad(servers, [token], { seconds: SECONDS });
  await stopServers(servers);
  return [engine.name, String(processes), (times.length / SECONDS).toFixed(0), show(summarize(times))];
}
