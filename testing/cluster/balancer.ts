/** A load balancer without sticky sessions: each request goes to a random one of its servers. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createRandom } from "../random.ts";

/**
 * How many servers the tests of sign-in and the console run, from `RUNGS_TEST_SERVERS`, for databases that several can
 * share.
 */
export function countServers(engine: string): number {
  return engine === "postgres" ? Number(process.env.RUNGS_TEST_SERVERS ?? 1) : 1;
}

export interface Balancer {
  readonly url: string;
  /** The servers that requests go to; tests change them. */
  servers: string[];
  /** How many requests each server got. */
  readonly counts: Map<string, number>;
  close(): Promise<void>;
}

/** Starts a balancer on a free port; add servers before the first request. */
export async function startBalancer(seed: number): Promise<Balancer> {
  const random = createRandom(seed);
  const counts = new Map<string, number>();
  const server = createServer((incoming, outgoing) => {
    const target = balancer.servers[Math.floor(random() * balancer.servers.length)];
    if (target === undefined) return void outgoing.writeHead(503).end();
    counts.set(target, (counts.get(target) ?? 0) + 1);
    pass(incoming, outgoing, target);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const balancer: Balancer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    servers: [],
    counts,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return balancer;
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, target: string): void {
  const seen = [incoming.headers["x-forwarded-for"] ?? [], incoming.socket.remoteAddress ?? ""].flat();
  const headers = { ...incoming.headers, "x-forwarded-for": seen.join(", ") };
  const sent = request(target + incoming.url, { method: incoming.method ?? "GET", headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    outgoing.flushHeaders();
    answer.pipe(outgoing);
    answer.on("error", () => outgoing.destroy());
  });
  sent.on("error", () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
  outgoing.on("close", () => sent.destroy());
  incoming.pipe(sent);
}
