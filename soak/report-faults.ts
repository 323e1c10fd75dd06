/** Runs the faults in their long form and reports them. */
import { say } from "../bench/figures.ts";
import { printTable } from "../bench/measure.ts";
import { soakFailover } from "./failover.ts";
import { soakClock } from "./faults/clock.ts";
import { soakDamage } from "./faults/damage.ts";
import { soakFailingDisk, soakFullDisk } from "./faults/full-disk.ts";
import { soakLostConnection } from "./faults/lost-connection.ts";
import { soakReadOnly } from "./faults/read-only.ts";
import { soakKills } from "./kills.ts";
import { type EngineName, places } from "./places.ts";
import { soakProcesses } from "./processes.ts";

const ENGINES = ["SQLite", "PostgreSQL"] as const satisfies readonly EngineName[];
const IMPORT_RECORDS = 2_000;

export async function reportKills(kills: number): Promise<void> {
  const rows: string[][] = [];
  for (const engine of ENGINES) {
    const share = Math.ceil(kills / ENGINES.length);
    const figures = await soakKills({ engine, kills: share, records: IMPORT_RECORDS, pause_ms: 2_000 });
    const { there, not_there } = figures.doubtful;
    rows.push([
      engine,
      Object.entries(figures.kills)
        .map(([victim, count]) => `${count} of ${victim}`)
        .join(", "),
      String(figures.acknowledged),
      `${there} / ${not_there}`,
      String(figures.imports),
      String(figures.records),
    ]);
  }
  const head = [
    "engine",
    "kills",
    "acknowledged writes",
    "unanswered batches: stored / not",
    "imports finished",
    "records in the end",
  ];
  printTable("Killed at random points under load", head, rows);
  say(
    "After all kills every acknowledged write is there, whole and once, a search by its own word finds it alone, no batch is stored in part, and `rungs doctor` finds nothing.",
  );
}

export async function reportFailover(kills: number): Promise<void> {
  const seed = Number(process.env.RUNGS_FAILOVER_SEED ?? Date.now() % 1_000_000);
  console.log(`RUNGS_FAILOVER_SEED=${seed}`);
  const agents = 50;
  const watch = (names: readonly string[]) => console.log(`${new Date().toISOString()} ${names.join(", ")}`);
  const options = { kills, agents, seed, pause_ms: 3_000, watch };
  const { faults, counts, replica_reads, no_server, records } = await soakFailover(options);
  printTable(
    `Two servers, a primary and its synchronous replica, ${agents} agents; ${kills} times something failed (seed ${seed})`,
    ["what failed", "times"],
    Object.entries(faults).map(([fault, times]) => [fault, String(times)]),
  );
  printTable(
    "Meanwhile",
    ["what happened", "count"],
    [
      ["writes acknowledged, each there in the end", String(counts.writes)],
      ["records in the end", String(records)],
      ["requests of agents", String(counts.reads)],
      ["reads that the replica answered, since the last start of each server", String(replica_reads)],
      ["answers with a code and Retry-After instead", String(counts.refused)],
      ["of them, no server was ready", String(no_server)],
      ["reads that took longer than their limit on this machine", String(counts.slow)],
      ["grants revoked, none of which worked again", String(counts.revocations)],
      ["records hidden, none of which was shown again", String(counts.hidden)],
      ["attempts with revoked tokens at every server", String(counts.checks)],
    ],
  );
}

/** `size` grows the number of rounds. */
export async function reportFaults(size: number): Promise<void> {
  const rounds = Math.ceil(size / 20);
  const rows: string[][] = [];
  const add = (fault: string, times: number, kept: number | undefined) =>
    rows.push([
      fault,
      String(times),
      kept === undefined ? "cannot be made on this machine" : `${kept} records, all there`,
    ]);
  const full = await soakFullDisk(rounds);
  const failing = await soakFailingDisk(rounds);
  if (full === undefined && failing === undefined)
    throw new Error("No disk can be made to fail here: run as root, or install prlimit.");
  add("full disk under a server", rounds, full);
  add("disk that fails every write under a server", rounds, failing);
  add("home that is read-only", 1, await soakReadOnly());
  const { damaged, right, refused } = await soakDamage(size);
  rows.push([
    "damaged page of SQLite",
    String(damaged),
    `${right} reads answered right, ${refused} refused, none wrong; rungs doctor said so each time`,
  ]);
  add("PostgreSQL out of reach: broken, refused, stalled", rounds, await soakLostConnection(rounds));
  for (const engine of ENGINES) {
    const place = await places[engine]();
    add(`clock that jumps, ${engine}`, 1, await soakClock(place).finally(() => place.remove()));
  }
  printTable(
    "Faults, each with a coded refusal meanwhile and service afterwards",
    ["fault", "times", "outcome"],
    rows,
  );
}

export async function reportProcesses(seconds: number): Promise<void> {
  const { acknowledged, imports, calls, records } = await soakProcesses(seconds, IMPORT_RECORDS);
  printTable(
    `One SQLite under a server, imports and two stdio adapters for ${seconds} seconds`,
    ["acknowledged writes", "imports finished", "tool calls", "errors", "records in the end"],
    [[String(acknowledged), String(imports), String(calls), "0", String(records)]],
  );
}
