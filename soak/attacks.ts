/** The hostile client, as a separate process, so that its work does not skew the measurements. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { COMMON, STREAM, wordFor } from "./notes.ts";
import { CONNECTION } from "./world.ts";

/** Where to attack, and the token of a grant. */
export interface AttackTarget {
  readonly url: string;
  readonly token: string;
}

/** The hostile client's requests, and its CPU time. */
export interface AttackReport {
  readonly counts: Readonly<Record<string, number>>;
  readonly processor_seconds: number;
}

const FLOOD = 100;
const UNREAD = 200;
const SEARCHES = 8;
const PAUSE_MS = 250;

const [url = "", token = ""] = process.argv.slice(2);
let stop = new AbortController();

// Each phrase has a prefix common to every note's unique word.
const phrases = Array.from({ length: 6 }, (_, at) => `"${COMMON} zq*" ${wordFor(at)}*`);
const query = `/v1/search?q=${encodeURIComponent(phrases.join(" "))}`;

/** Each kind of attack returns how many requests it sent. */
const attacks: Readonly<Record<string, () => Promise<number>>> = {
  "searches with prefixes in phrases": async () => {
    await Promise.all(Array.from({ length: SEARCHES }, () => send(query)));
    return SEARCHES;
  },
  "searches and a hang-up": () => floodAndLeave(query, FLOOD),
  "exports that are not read": () => floodAndLeave("/v1/export", UNREAD),
  "counts by time": async () => {
    await send(
      `/v1/streams/${STREAM}/aggregate?connection_id=${CONNECTION}&metric=count&group_by=written_at`,
    );
    return 1;
  },
  "token requests": async () => {
    const body = new URLSearchParams({ grant_type: "refresh_token" });
    await send("/oauth/token", { method: "POST", body });
    return 1;
  },
};

async function send(path: string, init: RequestInit = {}): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  try {
    await (await fetch(url + path, { headers, signal: stop.signal, ...init })).arrayBuffer();
  } catch {
    // Stopped, or refused by a broken connection.
  }
}

/** Sends requests whose answers nobody reads, and hangs up. */
async function floodAndLeave(path: string, count: number): Promise<number> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at += 1) {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => undefined);
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    sockets.push(socket);
  }
  await delay(4 * PAUSE_MS, undefined, { signal: stop.signal }).catch(() => undefined);
  for (const socket of sockets) socket.destroy();
  return count;
}

/** Attacks until the signal aborts; returns how many requests there were of each kind. */
async function attackUntil(signal: AbortSignal): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const running = Object.entries(attacks).map(async ([name, attack]) => {
    do {
      counts[name] = (counts[name] ?? 0) + (await attack());
      await delay(PAUSE_MS);
    } while (!signal.aborted);
  });
  await Promise.all(running);
  return counts;
}

// Each message starts the attacks, or ends them and reports the result.
process.send?.("ready");
for (;;) {
  await once(process, "message");
  stop = new AbortController();
  const before = process.cpuUsage();
  const attacking = attackUntil(stop.signal);
  await once(process, "message");
  stop.abort();
  const counts = await attacking;
  const { user, system } = process.cpuUsage(before);
  process.send?.({ counts, processor_seconds: (user + system) / 1e6 } satisfies AttackReport);
}
