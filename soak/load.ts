/** Many agents at once on one server: no error, bounded memory. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { createRandom } from "../testing/random.ts";
import { createGet } from "./get.ts";
import { climb, fillLadder, type StepTimes } from "./ladder.ts";
import { type EngineName, places } from "./places.ts";
import { readMemoryBytes, type Server, startServer } from "./program.ts";
import { createWorld, type World } from "./world.ts";

/** The memory limit of a server while all agents read. */
export const MEMORY_MAX_BYTES = 1024 * 1024 ** 2;
const SAMPLE_MS = 500;

export interface LoadOptions {
  readonly engine: EngineName;
  readonly agents: number;
  readonly records: number;
  readonly seconds: number;
  /** How long agents think between two steps, on average. */
  readonly think_ms: number;
  /** Called with the latency of each answer. */
  readonly record?: ((ms: number) => void) | undefined;
  /** Ends the run early: each agent finishes its climb. */
  readonly stop?: AbortSignal | undefined;
}

export interface LoadFigures {
  readonly times: StepTimes;
  readonly climbs: number;
  /** Peak memory in the first half and in the second; 0 where the system does not report it. */
  readonly peaks_bytes: readonly number[];
}

/** Runs the agents; the first error ends the run. */
export async function soakLoad(options: LoadOptions): Promise<LoadFigures> {
  const place = await places[options.engine]();
  try {
    const fill = (parts: Parameters<typeof fillLadder>[0]) => fillLadder(parts, options.records);
    const world = await createWorld(place, { agents: options.agents, fill });
    const server = await startServer(world);
    const memory = watchMemory(server);
    try {
      const { times, climbs } = await climbAll(world, server, options);
      const peaks_bytes = memory.peaks();
      assert.ok(largest(peaks_bytes) <= MEMORY_MAX_BYTES, `the server held ${peaks_bytes} bytes`);
      return { times, climbs, peaks_bytes };
    } finally {
      memory.stop();
      await server.stop();
    }
  } finally {
    await place.remove();
  }
}

/** Lets every agent of a world climb for some seconds, at least once. */
export async function climbAll(world: World, { url }: Server, options: LoadOptions) {
  const { records, seconds, think_ms, stop } = options;
  const { get, close } = createGet(url, world.agents.length);
  const times: StepTimes = new Map();
  const end = performance.now() + seconds * 1000;
  const record = (name: string, ms: number) => {
    const known = times.get(name) ?? [];
    times.set(name, known);
    known.push(ms);
    options.record?.(ms);
  };
  let climbs = 0;
  const runAgent = async (token: string, agent: number) => {
    const random = createRandom(agent);
    const pause = async () => think_ms > 0 && delay(2 * random() * think_ms);
    await pause();
    do {
      await climb({ get, token, records, random, record, pause });
      climbs += 1;
    } while (performance.now() < end && !stop?.aborted);
  };
  try {
    await Promise.all(world.agents.map(runAgent));
  } finally {
    close();
  }
  return { times, climbs };
}

function watchMemory(server: Server) {
  const samples: number[] = [];
  const sample = () => {
    const now = readMemoryBytes(server);
    if (now !== undefined) samples.push(now);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    /** The peaks of the first half and of the second: a leak shows as growth. */
    peaks() {
      sample();
      return [samples.slice(0, samples.length / 2), samples.slice(samples.length / 2)].map(largest);
    },
    stop: () => clearInterval(timer),
  };
}

function largest(samples: readonly number[]): number {
  return Math.max(0, ...samples);
}
