/** The test's load balancer: round-robin over the servers that are ready according to `/readyz`. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const LOOK_MS = 150;
const LOOK_TIMEOUT_MS = 1_000;
const KEEP_ALIVE_MS = 600_000;

export interface Balancer {
  readonly url: string;
  /** How often no server was ready. */
  readonly refused: { count: number };
  close(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

/** `listServers` gives the URLs of the servers that run. */
export async function startBalancer(listServers: () => readonly string[]): Promise<Balancer> {
  const ready = new Set<string>();
  const closing = new AbortController();
  const refused = { count: 0 };
  let turn = 0;

  async function look(url: string): Promise<void> {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) }).catch(
      () => undefined,
    );
    await answer?.arrayBuffer().catch(() => undefined);
    if (answer?.status === 200) ready.add(url);
    else ready.delete(url);
  }

  async function watch(): Promise<void> {
    for (; !closing.signal.aborted; await delay(LOOK_MS)) {
      const urls = listServers();
      for (const url of ready) if (!urls.includes(url)) ready.delete(url);
      await Promise.all(urls.map(look));
    }
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    turn += 1;
    // Every request of this test is safe to retry. A server that breaks a connection is not ready.
    for (const tried = new Set<string>(); ; ) {
      const others = [...ready].filter((url) => !tried.has(url));
      const url = others[turn % others.length];
      if (url === undefined) break;
      tried.add(url);
      try {
        const reply = await forward(url, incoming, body);
        response.writeHead(reply.status, reply.headers).end(reply.body);
        return;
      } catch {
        ready.delete(url);
      }
    }
    refused.count += 1;
    const error = { code: "no_server", message: "No server is ready." };
    response.writeHead(503, { "Content-Type": "application/json", "Retry-After": "1" });
    response.end(JSON.stringify({ error }));
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: Error) => response.destroy(error));
  });
  // Agents pause between requests, for long on a busy machine.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const watching = watch();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused,
    async close() {
      closing.abort();
      server.close();
      server.closeAllConnections();
      await watching;
    },
  };
}

/** Forwards a request; fails if the response is incomplete. */
async function forward(
  url: string,
  { method, url: path, headers }: IncomingMessage,
  body: Buffer,
): Promise<Reply> {
  const { host: _host, connection: _connection, ...kept } = headers;
  const outgoing = request(url + path, { method, headers: { ...kept, "content-length": body.length } });
  outgoing.end(body);
  const [answered] = (await once(outgoing, "response")) as [IncomingMessage];
  const { connection: _, "transfer-encoding": __, ...rest } = answered.headers;
  return { status: answered.statusCode ?? 502, headers: rest, body: await readAll(answered) };
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
