import type { JSONRPCMessage, McpServer, Transport } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type AdapterOptions, createAdapter } from "./adapter.ts";
import { completeListen, type Listen, narrowListen, readListen } from "./listen.ts";
import { Subscriptions } from "./subscriptions.ts";

/** Serves one host over standard input and output until the host closes them, or ends this process. */
export function serveOverStdio(
  options: Omit<AdapterOptions, "subscriptions">,
  onerror: (error: Error) => void,
): Promise<void> {
  let server: McpServer["server"] | undefined;
  const subscriptions = new Subscriptions({
    changed: (uri) => void server?.sendResourceUpdated({ uri }).catch(onerror),
    ended: (holder) => transport.endListen(holder),
  });
  const transport = new ListeningTransport({
    open: ({ id, uris }) => subscriptions.openAll(uris, id, options.connect({ era: "modern" })),
    close: (id) => subscriptions.close(id),
  });
  const adapter = createAdapter({ ...options, subscriptions });
  const ended = new Promise<void>((resolve) => {
    process.stdin.once("close", resolve);
    process.stdin.once("end", resolve);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  const { close } = serveStdio(
    async (context) => {
      const created = await adapter(context);
      server = "server" in created ? created.server : created;
      return created;
    },
    { transport, onerror },
  );
  return ended
    .then(() => subscriptions.closeAll())
    .then(close)
    .finally(() => process.stdin.destroy());
}

interface Listens {
  /** Watches the streams that the caller may read; returns them. */
  open(listen: Listen): Promise<string[]>;
  close(id: unknown): void;
}

/** Standard input and output. Narrows the requests to listen before the SDK answers them. */
class ListeningTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly #inner = new StdioServerTransport();
  readonly #listens: Listens;

  constructor(listens: Listens) {
    this.#listens = listens;
  }

  start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) => this.#receive(message);
    return this.#inner.start();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#inner.send(message);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Tells the host that a listen has ended: the grant no longer covers anything in it. */
  endListen(holder: unknown): void {
    const id = holder as string | number;
    this.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    void this.send(completeListen(id) as JSONRPCMessage).catch((error: Error) => this.onerror?.(error));
  }

  #receive(message: JSONRPCMessage): void {
    const listen = readListen(message);
    if (listen) return void this.#narrow(message, listen);
    if ("method" in message && message.method === "notifications/cancelled")
      this.#listens.close((message.params as { requestId?: unknown } | undefined)?.requestId);
    this.onmessage?.(message);
  }

  async #narrow(message: JSONRPCMessage, listen: Listen): Promise<void> {
    const uris = await this.#listens.open(listen);
    this.onmessage?.(narrowListen(message, uris) as JSONRPCMessage);
  }
}
