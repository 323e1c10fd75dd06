/** Window reads next to a slow client, an endless export and an import: none of them blocks the reads. */
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { summarize, type Timing } from "../bench/measure.ts";
import { createGet } from "./get.ts";
import { Imports } from "./imports.ts";
import { fillLadder } from "./ladder.ts";
import { STREAM } from "./notes.ts";
import { type EngineName, places } from "./places.ts";
import { Service } from "./service.ts";
import { CONNECTION, createWorld, type World } from "./world.ts";

const READERS = 8;
const SLOW_MS = 1_000;

export interface BesideOptions {
  readonly engine: EngineName;
  readonly records: number;
  readonly seconds: number;
}

/** How long window reads took, and what ran at the same time. */
export interface BesideFigures {
  readonly alone: Timing;
  readonly beside: Timing;
  readonly windows: number;
  readonly exported_bytes: number;
  readonly imports: number;
}

/** Reads windows alone, then for the same time next to the other clients. */
export async function soakBeside({ engine, records, seconds }: BesideOptions): Promise<BesideFigures> {
  const place = await places[engine]();
  const fill = (parts: Parameters<typeof fillLadder>[0]) => fillLadder(parts, records);
  const service = new Service(await createWorld(place, { agents: READERS + 2, fill }));
  const imports = new Imports(service, records);
  const stop = new AbortController();
  try {
    await service.start();
    const url = await service.ready;
    const alone = await readWindows(service.world, url, records, seconds);
    const slow = startSlowClient(url, service.world.agents[READERS] ?? "");
    const others = Promise.all([
      imports.run(stop.signal),
      exportOn(url, service.world.agents[READERS + 1] ?? "", stop.signal),
    ]);
    const beside = await Promise.race([readWindows(service.world, url, records, seconds), others]);
    if (!("p95" in beside)) throw new Error("The other clients ended early.");
    stop.abort();
    const [, exported_bytes] = await others;
    slow.destroy();
    const windows = alone.count + beside.count;
    return { alone, beside, windows, exported_bytes, imports: imports.finished };
  } finally {
    stop.abort();
    await service.end();
    await imports.end();
    await place.remove();
  }
}

async function readWindows({ agents }: World, url: string, records: number, seconds: number) {
  const { get, close } = createGet(url, READERS);
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const readOn = async (token: string, reader: number) => {
    for (let turn = 0; performance.now() < end; turn += 1) {
      const number = ((turn * READERS + reader) * 7) % records;
      const began = performance.now();
      await get(
        `/v1/streams/${STREAM}/records/n${number - (number % 7)}/field-window?connection_id=${CONNECTION}&field_path=body&offset_chars=4000`,
        token,
      );
      times.push(performance.now() - began);
      // As many as one token may send.
      await delay(10);
    }
  };
  await Promise.all(agents.slice(0, READERS).map(readOn)).finally(close);
  return { ...summarize(times), count: times.length };
}

/** Requests an export and reads one byte per second of it. */
function startSlowClient(url: string, token: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET /v1/export HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  socket.on("readable", () => undefined);
  const timer = setInterval(() => socket.read(1), SLOW_MS);
  socket.on("close", () => clearInterval(timer));
  socket.on("error", () => undefined);
  return socket;
}

/** Exports everything in a loop and counts the bytes. */
async function exportOn(url: string, token: string, stop: AbortSignal): Promise<number> {
  let bytes = 0;
  while (!stop.aborted) {
    const answer = await fetch(`${url}/v1/export`, { headers: { Authorization: `Bearer ${token}` } });
    if (answer.status !== 200) throw new Error(`The export was answered ${answer.status}.`);
    for await (const piece of answer.body ?? []) {
      bytes += piece.length;
      if (stop.aborted) break;
    }
  }
  return bytes;
}
