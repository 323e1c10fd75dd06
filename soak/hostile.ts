/** Ordinary agents beside a hostile client that freezes, floods, hangs up and never reads (R56, R57). */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { summarize, type Timing } from "../bench/measure.ts";
import type { AttackTarget } from "./attacks.ts";
import { createGet } from "./get.ts";
import { fillLadder, type StepTimes } from "./ladder.ts";
import { climbAll, type LoadOptions } from "./load.ts";
import { places } from "./places.ts";
import { startServer } from "./program.ts";
import { createWorld } from "./world.ts";

const HEALTH_MS = 50;

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

/** Lets the agents climb for a while alone, then as long beside the hostile client; an error of any agent ends the run. */
export async function soakHostile(options: LoadOptions): Promise<HostileFigures> {
  const place = await places[options.engine]();
  try {
    const fill = (parts: Parameters<typeof fillLadder>[0]) => fillLadder(parts, options.records);
    const world = await createWorld(place, { agents: options.agents + 1, fill });
    const [token = "", ...agents] = world.agents;
    const server = await startServer(world);
    const stop = new AbortController();
    let attack: ReturnType<typeof startAttacks> | undefined;
    try {
      // The first answers also start threads and fill caches.
      await climbAll({ ...world, agents }, server, { ...options, seconds: 0 });
      const alone = await climbAll({ ...world, agents }, server, options);
      attack = startAttacks({ url: server.url, token });
      const health = watchHealth(server.url, stop.signal);
      const beside = await climbAll({ ...world, agents }, server, options);
      stop.abort();
      const [attacks, health_max_ms] = await Promise.all([attack.stop(), health]);
      const times = [...beside.times.values()].flat();
      return {
        alone: summarizeSteps(alone.times),
        beside: summarizeSteps(beside.times),
        answers: times.length,
        health_max_ms,
        attacks,
      };
    } finally {
      stop.abort();
      await attack?.end();
      await server.stop();
    }
  } finally {
    await place.remove();
  }
}

function summarizeSteps(times: StepTimes): Timing {
  return summarize([...times.values()].flat());
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
