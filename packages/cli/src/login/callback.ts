/** The loopback redirect URI of the authorization request (RFC 8252 §7.3). */
import { spawn } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { platform } from "node:os";
import { findOpener } from "../home/system.ts";

/** The URL of the redirect; `say` answers the person at the browser. */
interface Arrival {
  readonly url: URL;
  say(sentence: string): void;
}

/** A server that waits for one redirect. */
export interface Callback {
  readonly redirect_uri: string;
  /** Waits for the redirect with this state. Any page can send a browser here, so other requests are refused without effect. */
  arrival(state: string): Promise<Arrival>;
  close(): void;
}

const PATH = "/callback";

/** Listens on a free port. */
export async function openCallback(): Promise<Callback> {
  let expected: { readonly state: string; arrive(arrival: Arrival): void } | undefined;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method !== "GET" || url.pathname !== PATH) return void response.writeHead(404).end();
    if (expected === undefined || url.searchParams.get("state") !== expected.state) {
      return answer(response, 400, "This is not the expected redirect.");
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

/** Opens a URL in the default browser; does nothing if there is none, since the URL is printed too. */
export function openBrowser(url: string): void {
  const [command, ...args] = findOpener({ platform: platform() });
  const program = spawn(command, [...args, url], { detached: true, stdio: "ignore" });
  program.on("error", () => undefined);
  program.unref();
}
