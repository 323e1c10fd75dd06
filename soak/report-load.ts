/** Runs the load in its long form and reports it. */
import assert from "node:assert/strict";
import { openEngines } from "../bench/engines.ts";
import { say } from "../bench/figures.ts";
import { printTable, ratio, show, summarize } from "../bench/measure.ts";
import { soakBeside } from "./beside.ts";
import { type CurvePoint, measureCurves, requireFlat } from "./curves.ts";
import { soakHostile } from "./hostile.ts";
import { MEMORY_MAX_BYTES, soakLoad } from "./load.ts";

const ENGINES = ["SQLite", "PostgreSQL"] as const;
const LOAD_RECORDS = 20_000;
const MIB = 1024 ** 2;

/** Agents without a pause show the capacity; with a pause of one second, the latency that agents experience. */
export async function reportLoad(agents: number, seconds: number): Promise<void> {
  for (const engine of ENGINES) {
    for (const think_ms of [0, 1_000]) {
      const options = { engine, agents, records: LOAD_RECORDS, seconds, think_ms };
      const { times, climbs, peaks_bytes } = await soakLoad(options);
      const pace = think_ms === 0 ? "without a pause" : "with a second between two steps";
      const steps = [...times].map(([step, list]) => [step, String(list.length), show(summarize(list))]);
      printTable(
        `${agents} agents, ${pace}, ${seconds} seconds, ${engine}`,
        ["step", "answers", "ms median / p95"],
        steps,
      );
      const answers = [...times.values()].reduce((sum, list) => sum + list.length, 0);
      const peaks = peaks_bytes
        .map((bytes) => `${(bytes / MIB).toFixed(0)} MiB`)
        .join(" in the first half and ");
      say(
        `${climbs} climbs of the ladder, ${(answers / seconds).toFixed(0)} answers/s, no error. The server's memory peaked at ${peaks} in the second; the bound is ${MEMORY_MAX_BYTES / MIB} MiB.`,
      );
    }
  }
}

export async function reportCurves(records: number): Promise<void> {
  const sizes = [records / 100, records / 10, records];
  for (const engine of await openEngines()) {
    const points = await measureCurves(engine, sizes).finally(() => engine.close());
    printTable(
      `Cost as the data grows, ${engine.name}`,
      [
        "read",
        "records",
        "matches",
        "rows",
        "KB out of the database",
        "ms median / p95",
        "median, against the smallest",
      ],
      points.map((point) => describePoint(point, points)),
    );
    requireFlat(points);
  }
  say(
    "Rows and KB are of a word that was not asked for before, on average; the first searches of a process also read the columns that ranking needs, which are held from then on. Times are of calls that are repeated.",
  );
}

function describePoint(point: CurvePoint, points: readonly CurvePoint[]): string[] {
  const { kind, records, matches, rows, bytes, timing } = point;
  const first = points.find((each) => each.kind === kind) ?? point;
  return [
    kind,
    records.toLocaleString("en"),
    matches.toLocaleString("en"),
    rows.toFixed(1),
    (bytes / 1000).toFixed(1),
    show(timing),
    ratio(timing.median / first.timing.median),
  ];
}

export async function reportBeside(seconds: number): Promise<void> {
  const rows: string[][] = [];
  for (const engine of ENGINES) {
    const { alone, beside, windows, exported_bytes, imports } = await soakBeside({
      engine,
      records: LOAD_RECORDS,
      seconds,
    });
    rows.push([
      engine,
      show(alone),
      show(beside),
      String(windows),
      `${(exported_bytes / 1e6).toFixed(0)} MB`,
      String(imports),
    ]);
  }
  printTable(
    "Windows of eight readers beside a client that reads a byte a second, an endless export and imports",
    ["engine", "alone, ms median / p95", "beside, ms median / p95", "windows", "exported", "imports"],
    rows,
  );
}

const HOSTILE_AGENTS = 50;
/** The limits on the hostile client's effect on others' 95th percentile, and on `/healthz`. */
const HOSTILE_RATIO = 2;
const HEALTH_MAX_MS = 250;

export async function reportHostile(seconds: number): Promise<void> {
  const rows: string[][] = [];
  const attacked: string[] = [];
  const broken: string[] = [];
  for (const engine of ENGINES) {
    const options = { engine, agents: HOSTILE_AGENTS, records: LOAD_RECORDS, seconds, think_ms: 1_000 };
    const { alone, beside, start, answers, health_max_ms, attacks, cores } = await soakHostile(options);
    const times = beside.p95 / alone.p95;
    rows.push([
      engine,
      show(alone),
      show(beside),
      ratio(times),
      `${health_max_ms.toFixed(0)} ms`,
      ratio(start.beside.p95 / start.alone.p95),
      [cores.server, cores.hostile, cores.agents].map((used) => used?.toFixed(2) ?? "?").join(" / "),
      String(answers),
    ]);
    attacked.push(
      `${engine}: ${Object.entries(attacks)
        .map(([name, count]) => `${count} ${name}`)
        .join(", ")}.`,
    );
    broken.push(
      ...(times <= HOSTILE_RATIO ? [] : [`the others' p95 is ${times} times as long (${engine})`]),
      ...(health_max_ms <= HEALTH_MAX_MS ? [] : [`/healthz took ${health_max_ms} ms (${engine})`]),
    );
  }
  printTable(
    `${HOSTILE_AGENTS} agents with a second between two steps, beside a hostile client, ${seconds} seconds`,
    [
      "engine",
      "alone, ms median / p95",
      "beside, ms median / p95",
      "p95, times",
      "/healthz at most",
      "p95 when all start at once, times",
      "cores: server / hostile / agents",
      "answers",
    ],
    rows,
  );
  say(`The hostile client sent on ${attacked.join(" On ")}`);
  assert.deepEqual(broken, []);
}
