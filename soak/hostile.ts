/** Ordinary agents beside a hostile client that freezes, floods, hangs up and never reads (R56, R57). */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { summarize, type Timing } from "../bench/measure.ts";
import type { AttackReport, AttackTarget } from "./attacks.ts";
import { createGet } from "./get.ts";
import { fillLadder } from "./ladder.ts";
import { climbAll, type LoadOptions } from "./load.ts";
import { places } from "./places.ts";
import { readProcessorSeconds, type Server, startServer } from "./program.ts";
import { createWorld } from "./world.ts";

const ATTACKS = fileURLToPath(new URL("./attacks.ts", import.meta.url));
const HEALTH_MS = 50;
/**
 * The hostile client comes and goes while the agents climb, so that other load on the machine affects both phases
 * alike.
 */
const ROUNDS = 3;

interface HostileOptions extends LoadOptions {
  readonly rounds?: number;
}

/** The latency of answers with and without the hostile client. */
export interface HostileFigures {
  readonly alone: Timing;
  readonly beside: Timing;
  /** The first answers to agents that all start at once, in the same two phases. */
  readonly start: { readonly alone: Timing; readonly beside: Timing };
  readonly answers: number;
  /** The slowest answer of `/healthz` beside the hostile client. */
  readonly health_max_ms: number;
  /** Requests of the hostile client, by kind. */
  readonly attacks: Readonly<Record<string, number>>;
  /** The cores used during the attacks, by process; undefined for the server where the system does not report it. */
  readonly cores: { readonly server: number | undefined; readonly agents: number; readonly hostile: number };
}

/** Lets the agents climb for a while, alone and beside the hostile client in turn; an error of any agent ends the run. */
export async function soakHostile(options: HostileOptions): Promise<HostileFigures> {
  const place = await places[options.engine]();
  try {
    const fill = (parts: Parameters<typeof fillLadder>[0]) => fillLadder(parts, options.records);
    const world = await createWorld(place, { agents: options.agents + 1, fill });
    const [token = "", ...agents] = world.agents;
    const server = await startServer(world);
    const attacker = startAttacker({ url: server.url, token });
    try {
      const climb = (more: Partial<LoadOptions> = {}) =>
        climbAll({ ...world, agents }, server, { ...options, seconds: 0, ...more });
      // Warm-up: the first answers also start threads and fill caches.
      await climb();
      const start = {
        alone: summarizeAll((await climb()).times),
        beside: summarizeAll((await attackWhile(server, attacker, climb)).result.times),
      };
      return { ...(await measureTurns(server, attacker, climb, options)), start };
    } finally {
      attacker.end();
      await server.stop();
    }
  } finally {
    await place.remove();
  }
}

/** Measures agents that climb all the time, while the hostile client comes and goes. */
async function measureTurns(
  server: Server,
  attacker: Attacker,
  climb: (more: Partial<LoadOptions>) => Promise<unknown>,
  { seconds, agents, rounds = ROUNDS }: HostileOptions,
): Promise<Omit<HostileFigures, "start">> {
  const [alone, beside]: [number[], number[]] = [[], []];
  let turn: { readonly times: number[]; readonly began: number } | undefined;
  const record = (ms: number) => {
    // Ignore an answer that began in the previous phase.
    if (turn && performance.now() - ms >= turn.began) turn.times.push(ms);
  };
  const stop = new AbortController();
  const climbing = climb({ seconds: Infinity, record, stop: stop.signal });
  const takeTurn = async (times: number[]) => {
    const end = performance.now() + (seconds / rounds) * 1_000;
    const enough = times.length + agents;
    turn = { times, began: performance.now() };
    while (performance.now() < end || times.length < enough) await Promise.race([delay(HEALTH_MS), climbing]);
    turn = undefined;
  };
  const reports: AttackedWhile<void>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await takeTurn(alone);
    reports.push(await attackWhile(server, attacker, () => takeTurn(beside)));
  }
  stop.abort();
  await climbing;
  return { alone: summarize(alone), beside: summarize(beside), answers: beside.length, ...addUp(reports) };
}

interface AttackedWhile<T> {
  readonly result: T;
  readonly counts: Readonly<Record<string, number>>;
  readonly health_max_ms: number;
  readonly seconds: number;
  /** CPU time, in seconds. */
  readonly used: { readonly server: number | undefined; readonly agents: number; readonly hostile: number };
}

async function attackWhile<T>(
  server: Server,
  attacker: Attacker,
  work: () => Promise<T>,
): Promise<AttackedWhile<T>> {
  const stop = new AbortController();
  await attacker.begin();
  try {
    const [began, server_before, own_before] = [
      performance.now(),
      readProcessorSeconds(server),
      process.cpuUsage(),
    ];
    const health = watchHealth(server.url, stop.signal);
    const result = await work();
    stop.abort();
    const { counts, processor_seconds: hostile } = await attacker.stop();
    const { user, system } = process.cpuUsage(own_before);
    const server_after = readProcessorSeconds(server);
    const used = {
      server: server_after === undefined ? undefined : server_after - (server_before ?? 0),
      agents: (user + system) / 1e6,
      hostile,
    };
    const seconds = (performance.now() - began) / 1_000;
    return { result, counts, health_max_ms: await health, seconds, used };
  } finally {
    stop.abort();
  }
}

function addUp(reports: readonly AttackedWhile<unknown>[]) {
  const attacks: Record<string, number> = {};
  for (const { counts } of reports)
    for (const [name, count] of Object.entries(counts)) attacks[name] = (attacks[name] ?? 0) + count;
  const sum = (read: (report: AttackedWhile<unknown>) => number) =>
    reports.reduce((total, report) => total + read(report), 0);
  const seconds = sum((report) => report.seconds);
  const knowsServer = reports.every(({ used }) => used.server !== undefined);
  return {
    attacks,
    health_max_ms: Math.max(...reports.map((report) => report.health_max_ms)),
    cores: {
      server: knowsServer ? sum(({ used }) => used.server ?? 0) / seconds : undefined,
      agents: sum(({ used }) => used.agents) / seconds,
      hostile: sum(({ used }) => used.hostile) / seconds,
    },
  };
}

async function watchHealth(url: string, stop: AbortSignal): Promise<number> {
  const { get, close } = createGet(url, 1);
  let max_ms = 0;
  while (!stop.aborted) {
    const began = performance.now();
    await get("/healthz", "");
    max_ms = Math.max(max_ms, performance.now() - began);
    await delay(HEALTH_MS);
  }
  close();
  return max_ms;
}

/** The hostile client. */
interface Attacker {
  begin(): Promise<void>;
  stop(): Promise<AttackReport>;
  end(): void;
}

function startAttacker({ url, token }: AttackTarget): Attacker {
  const child = fork(ATTACKS, [url, token]);
  const ready = once(child, "message");
  return {
    async begin() {
      await ready;
      child.send("begin");
    },
    async stop() {
      const reported = once(child, "message");
      child.send("stop");
      return (await reported)[0];
    },
    end: () => child.kill("SIGKILL"),
  };
}

function summarizeAll(times: ReadonlyMap<string, readonly number[]>): Timing {
  return summarize([...times.values()].flat());
}
