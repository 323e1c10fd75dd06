/** Ordinary agents beside a hostile client that freezes, floods, hangs up and never reads (R56, R57). */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { summarize, type Timing } from "../bench/measure.ts";
import { createGet } from "./get.ts";
import { fillLadder, type StepTimes } from "./ladder.ts";
import { climbAll, type LoadOptions } from "./load.ts";
import { COMMON, STREAM, wordFor } from "./notes.ts";
import { places } from "./places.ts";
import { startServer } from "./program.ts";
import { CONNECTION, createWorld } from "./world.ts";

const HEALTH_MS = 50;
const FLOOD = 100;
const UNREAD = 200;
const PAUSE_MS = 250;

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
    try {
      // The first answers also start threads and fill caches.
      await climbAll({ ...world, agents }, server, { ...options, seconds: 0 });
      const alone = await climbAll({ ...world, agents }, server, options);
      const attack = startAttacks(server.url, token, stop.signal);
      const health = watchHealth(server.url, stop.signal);
      const beside = await climbAll({ ...world, agents }, server, options);
      stop.abort();
      const [attacks, health_max_ms] = await Promise.all([attack, health]);
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

/** Runs every kind of attack until it is stopped, and counts the requests. */
async function startAttacks(url: string, token: string, stop: AbortSignal): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const headers = { Authorization: `Bearer ${token}` };
  const send = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { headers, signal: stop, ...init })
      .then((answer) => answer.arrayBuffer())
      .catch(() => undefined);
  // Each phrase has a prefix that every note's own word begins with.
  const phrases = Array.from({ length: 6 }, (_, at) => `"${COMMON} zq*" ${wordFor(at)}*`);
  const query = `/v1/search?q=${encodeURIComponent(phrases.join(" "))}`;
  const attacks: Readonly<Record<string, () => Promise<number>>> = {
    "searches with prefixes in phrases": async () => {
      await Promise.all(Array.from({ length: 8 }, () => send(query)));
      return 8;
    },
    "searches and a hang-up": () => floodAndLeave(url, query, token, FLOOD, stop),
    "exports that are not read": () => floodAndLeave(url, "/v1/export", token, UNREAD, stop),
    "counts by time": async () => {
      const path = `/v1/streams/${STREAM}/aggregate?connection_id=${CONNECTION}&metric=count&group_by=written_at`;
      await send(path);
      return 1;
    },
    "token requests": async () => {
      await send("/oauth/token", {
        method: "POST",
        body: new URLSearchParams({ grant_type: "refresh_token" }),
      });
      return 1;
    },
  };
  await Promise.all(
    Object.entries(attacks).map(async ([name, attack]) => {
      while (!stop.aborted) {
        counts[name] = (counts[name] ?? 0) + (await attack());
        await delay(PAUSE_MS);
      }
    }),
  );
  assert.deepEqual(Object.keys(counts).sort(), Object.keys(attacks).sort());
  return counts;
}

/** Sends requests whose answers nobody reads, and hangs up. */
async function floodAndLeave(
  url: string,
  path: string,
  token: string,
  count: number,
  stop: AbortSignal,
): Promise<number> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at += 1) {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => undefined);
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    sockets.push(socket);
  }
  await delay(4 * PAUSE_MS, undefined, { signal: stop }).catch(() => undefined);
  for (const socket of sockets) socket.destroy();
  return count;
}
