/** Ordinary agents beside a hostile client that freezes, floods, hangs up and never reads (R56, R57). */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { summarize, type Timing } from "../bench/measure.ts";
import type { AttackTarget } from "./attacks.ts";
import { createGet } from "./get.ts";
import { fillLadder } from "./ladder.ts";
import { climbAll, type LoadOptions } from "./load.ts";
import { places } from "./places.ts";
import { startServer } from "./program.ts";
import { createWorld } from "./world.ts";

const HEALTH_MS = 50;
/** Agents climb alone and beside the hostile client in turn, so that other load of the machine affects both alike. */
const ROUNDS = 3;

/** How long answers took without the hostile client and beside it. */
export interface HostileFigures {
  readonly alone: Timing;
  readonly beside: Timing;
  readonly answers: number;
  /** The slowest answer of `/healthz` beside the hostile client. */
  readonly health_max_ms: number;
  /** Requests of the hostile client, by what they were. */
  readonly attacks: Readonly<Record<string, number>>;
}

/** Lets the agents climb for a while alone, and as long beside the hostile client; an error of any agent ends the run. */
export async function soakHostile(options: LoadOptions): Promise<HostileFigures> {
  const place = await places[options.engine]();
  try {
    const fill = (parts: Parameters<typeof fillLadder>[0]) => fillLadder(parts, options.records);
    const world = await createWorld(place, { agents: options.agents + 1, fill });
    const [token = "", ...agents] = world.agents;
    const server = await startServer(world);
    const climbFor = async (seconds: number) => {
      const { times } = await climbAll({ ...world, agents }, server, { ...options, seconds });
      return [...times.values()].flat();
    };
    try {
      // The first answers also start threads and fill caches.
      await climbFor(0);
      const [alone, beside]: [number[], number[]] = [[], []];
      const attacks: Record<string, number> = {};
      let health_max_ms = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        alone.push(...(await climbFor(options.seconds / ROUNDS)));
        const attacked = await attackWhile({ url: server.url, token }, () =>
          climbFor(options.seconds / ROUNDS),
        );
        beside.push(...attacked.result);
        health_max_ms = Math.max(health_max_ms, attacked.health_max_ms);
        for (const [name, count] of Object.entries(attacked.counts))
          attacks[name] = (attacks[name] ?? 0) + count;
      }
      return {
        alone: summarize(alone),
        beside: summarize(beside),
        answers: beside.length,
        health_max_ms,
        attacks,
      };
    } finally {
      await server.stop();
    }
  } finally {
    await place.remove();
  }
}

async function attackWhile<T>(target: AttackTarget, work: () => Promise<T>) {
  const stop = new AbortController();
  const attack = startAttacks(target);
  try {
    const health = watchHealth(target.url, stop.signal);
    const result = await work();
    stop.abort();
    return { result, counts: await attack.stop(), health_max_ms: await health };
  } finally {
    stop.abort();
    await attack.end();
  }
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

function startAttacks(workerData: AttackTarget) {
  const attacker = new Worker(new URL("./attacks.ts", import.meta.url), { workerData });
  return {
    /** Stops the attacks; returns the number of requests of each kind. */
    async stop(): Promise<Record<string, number>> {
      const counted = once(attacker, "message");
      attacker.postMessage("stop");
      return (await counted)[0];
    },
    end: () => attacker.terminate(),
  };
}
