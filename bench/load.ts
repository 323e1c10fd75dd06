/** Readers that request windows and searches from servers, each one request at a time. */
import { Agent } from "node:http";
import { wordOf } from "./corpus.ts";
import { CONNECTION } from "./engines.ts";
import { fetchText, type Server } from "./servers.ts";

export const READERS = 64;

export const windowPath = (offset: number) =>
  `/v1/streams/messages/records/long/field-window?connection_id=${CONNECTION}&field_path=body&offset_chars=${offset}`;
export const searchPath = (word: number) => `/v1/search?q=${wordOf(word)}`;

/** When readers stop: after a number of seconds, or a total number of requests. */
interface LoadLimit {
  readonly seconds?: number;
  readonly requests?: number;
}

/** The latency of each answer; servers and tokens are distributed over the readers. */
export async function applyLoad(
  servers: readonly Server[],
  tokens: readonly string[],
  { seconds = Number.POSITIVE_INFINITY, requests = Number.POSITIVE_INFINITY }: LoadLimit,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: READERS });
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: READERS }, async (_, reader) => {
      const { url } = servers[reader % servers.length] as Server;
      const token = tokens[reader % tokens.length] as string;
      for (let number = 0; performance.now() < end && times.length < requests; number += 1) {
        const path =
          number % 4 === 0
            ? searchPath(20_000 + ((number * 37) % 30_000))
            : windowPath((number * 997) % 300_000);
        const start = performance.now();
        await fetchText(agent, url + path, token);
        times.push(performance.now() - start);
      }
    }),
  );
  agent.destroy();
  return times;
}
