/** One import in a separate process, to measure its peak memory: `parser PATH`, or `ADDRESS PATH` to store. */
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { ensureOwner } from "@rungs/server";
import { openPostgres } from "@rungs/store/postgres";
import { openSqlite } from "@rungs/store/sqlite";
import { planImports } from "rungs/internal/import-plan";
import { dryRunImport, runImport } from "rungs/internal/import-run";

const LOOK_EVERY_MS = 100;

let reader_peak_bytes = 0;
subscribe("child_process", (message) => {
  const { process: reader } = message as { process: ChildProcess };
  setInterval(() => {
    reader_peak_bytes = Math.max(reader_peak_bytes, peakOf(reader));
  }, LOOK_EVERY_MS).unref();
});

const [way = "", path = ""] = process.argv.slice(2);
const planned = await planImports(path, {
  format: undefined,
  connection_id: "bench",
  label: undefined,
  manifest: undefined,
});
const plan = planned.plans[0]!;
const nothing = () => undefined;
const watch = { note: nothing, onItem: nothing };

const began = performance.now();
const counts = way === "parser" ? await parse() : await store();
const ms = performance.now() - began;
const cpu_ms = (process.cpuUsage().user + process.cpuUsage().system) / 1_000;
const { total_bytes } = plan.files.progress;
await planned.close();
const peak_bytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ ms, cpu_ms, ...counts, total_bytes, peak_bytes, reader_peak_bytes }));

async function parse() {
  const { streams, rejected } = await dryRunImport(plan, { ...watch, onRejected: nothing });
  return { records: Object.values(streams).reduce((sum, count) => sum + count, 0), rejected };
}

async function store() {
  const opened = way.startsWith("postgres:") ? await openPostgres(way) : await openSqlite(way);
  const parts = { store: opened, owner_id: await ensureOwner(opened), now: Date.now };
  const { tally } = await runImport(plan, parts, watch);
  await opened.close();
  return { records: tally.added, rejected: tally.rejected };
}

/** The peak memory of a running process on Linux; 0 elsewhere. The extraction process is killed when it is done, so it cannot report its own. */
function peakOf({ pid }: ChildProcess): number {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
