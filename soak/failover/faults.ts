/**
 * The faults: servers, either database, and the network between them. Each fault ends with everything running again.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../testing/random.ts";
import type { Pair } from "./pair.ts";
import type { Servers } from "./servers.ts";

export interface Broken {
  readonly pair: Pair;
  readonly servers: Servers;
  readonly random: Random;
}

type Fault = (broken: Broken) => Promise<void>;

/** A stall longer than a server waits for a silent database (`postgres/server-watch.ts`), or shorter. */
const STALLS_MS = [500, 2_000, 12_000];
const CUT_MS = 1_500;

const faults = {
  "server killed": ({ servers, random }) => servers.kill(random.below(servers.count)),
  "primary killed, replica promoted": ({ pair }) => pair.failOver(),
  "replica killed": ({ pair }) => pair.loseReplica(),
  "connections broken": async ({ servers, random }) => {
    for (const proxy of random.pick(servers.links).proxies) proxy.drop();
  },
  async "network cut"({ servers, random }) {
    const proxy = random.pick(random.pick(servers.links).proxies);
    proxy.refuse();
    await delay(random.next() * CUT_MS);
    proxy.allow();
  },
  async "network stalled"({ servers, random }) {
    const proxy = random.pick(random.pick(servers.links).proxies);
    proxy.stall();
    await delay(random.pick(STALLS_MS));
    proxy.allow();
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** The first faults of a run, so that even a short one covers the worst. */
const FIRST: readonly FaultName[] = ["primary killed, replica promoted", "network cut", "server killed"];
/** Half of the faults kill the primary or servers. */
const LATER: readonly FaultName[] = [
  "primary killed, replica promoted",
  "primary killed, replica promoted",
  "server killed",
  "server killed",
  "replica killed",
  "connections broken",
  "network cut",
  "network stalled",
];
/** How often the network fails during another fault. */
const TOGETHER = 0.3;

/** Causes the next fault, and possibly a network fault with it; returns their names. */
export async function breakNext(broken: Broken, at: number): Promise<FaultName[]> {
  const { random } = broken;
  const names = [FIRST[at] ?? random.pick(LATER)];
  if (at >= FIRST.length && random.chance(TOGETHER))
    names.push(random.pick(["network cut", "network stalled"] as const));
  await Promise.all(names.map((name) => faults[name](broken)));
  return names;
}
