import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy that passes everything on and counts commands. */
export interface CountingProxy {
  readonly port: number;
  /** The commands that clients sent: their lines with a tag (RFC 9051 §2.2.1). */
  count(): number;
  close(): Promise<void>;
}

const COMMAND = /^\w+ [A-Z]+/gm;

/** Starts a proxy to a mail server on this machine. */
export async function startCountingProxy(target: number): Promise<CountingProxy> {
  let commands = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    client.on("data", (chunk) => {
      commands += chunk.toString("latin1").match(COMMAND)?.length ?? 0;
    });
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    count: () => commands,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
