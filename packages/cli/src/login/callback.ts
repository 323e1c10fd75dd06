/** Waits on this machine for the browser that comes back from the authorization server (RFC 8252 §7.3). */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A place that waits for one answer. */
export interface Callback {
  readonly redirect_uri: string;
  /** The address that the browser came with; `say` answers the person in front of it. */
  readonly arrived: Promise<{ readonly url: URL; say(sentence: string): void }>;
  close(): void;
}

const PATH = "/callback";

/** Opens the place, on a free port. */
export async function openCallback(): Promise<Callback> {
  const arrival = Promise.withResolvers<Awaited<Callback["arrived"]>>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method !== "GET" || url.pathname !== PATH) return void response.writeHead(404).end();
    arrival.resolve({ url, say: (sentence) => answer(response, sentence) });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    redirect_uri: `http://127.0.0.1:${port}${PATH}`,
    arrived: arrival.promise,
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

function answer(response: ServerResponse, sentence: string): void {
  const headers = {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    Connection: "close",
  };
  response.writeHead(200, headers).end(`${sentence}\n`);
}
