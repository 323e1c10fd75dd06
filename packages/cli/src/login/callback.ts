/** Waits on this machine for the browser that comes back from the authorization server (RFC 8252 §7.3). */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The address that the browser came with; `say` answers the person in front of it. */
interface Arrival {
  readonly url: URL;
  say(sentence: string): void;
}

/** A place that waits for one answer. */
export interface Callback {
  readonly redirect_uri: string;
  /** Waits for the answer to the question with this state. Any page may send a browser here: other hits are refused and change nothing. */
  arrival(state: string): Promise<Arrival>;
  close(): void;
}

const PATH = "/callback";

/** Opens the place, on a free port. */
export async function openCallback(): Promise<Callback> {
  let expected: { readonly state: string; arrive(arrival: Arrival): void } | undefined;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method !== "GET" || url.pathname !== PATH) return void response.writeHead(404).end();
    if (expected === undefined || url.searchParams.get("state") !== expected.state) {
      return answer(response, 400, "This is not the answer that is waited for here.");
    }
    expected.arrive({ url, say: (sentence) => answer(response, 200, sentence) });
    expected = undefined;
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    redirect_uri: `http://127.0.0.1:${port}${PATH}`,
    arrival: (state) =>
      new Promise((arrive) => {
        expected = { state, arrive };
      }),
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

function answer(response: ServerResponse, status: number, sentence: string): void {
  const headers = {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    Connection: "close",
  };
  response.writeHead(status, headers).end(`${sentence}\n`);
}
