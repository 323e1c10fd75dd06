import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy between a program and its PostgreSQL, which can fail on demand. */
export interface TcpProxy {
  /** The database's address through it. */
  readonly address: string;
  readonly port: number;
  /** Breaks every open connection. */
  drop(): void;
  /** Breaks every connection, and each new one, until `allow`. */
  refuse(): void;
  /** Silently stops forwarding until `allow`. */
  stall(): void;
  allow(): void;
  close(): Promise<void>;
}

type Mode = "carry" | "refuse" | "stall";

/** Puts a proxy in front of a PostgreSQL socket, which each connection resolves anew. */
export async function startProxy(findSocket: () => string): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let mode: Mode = "carry";
  const server = createServer((near) => {
    if (mode === "refuse") return void near.destroy();
    const pair = [near, connect(findSocket())] as const;
    pairs.add(pair);
    join(pair, () => mode === "stall");
    near.on("close", () => pairs.delete(pair));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const drop = () => {
    for (const [near] of pairs) near.destroy();
  };
  const { port } = server.address() as AddressInfo;
  return {
    address: `postgres://rungs@127.0.0.1:${port}/postgres`,
    port,
    drop,
    refuse() {
      mode = "refuse";
      drop();
    },
    stall() {
      mode = "stall";
    },
    allow() {
      mode = "carry";
      for (const socket of [...pairs].flat()) socket.resume();
    },
    async close() {
      mode = "refuse";
      drop();
      server.close();
    },
  };
}

/** Forwards bytes both ways; while stalled it buffers what arrived and reads no more. */
function join([near, far]: readonly [Socket, Socket], isStalled: () => boolean): void {
  const carry = (from: Socket, to: Socket) => {
    let held: Buffer[] = [];
    from.on("data", (chunk) => {
      if (!isStalled()) return void to.write(chunk);
      held.push(chunk);
      from.pause();
    });
    from.on("resume", () => {
      for (const chunk of held) to.write(chunk);
      held = [];
    });
    from.on("error", () => undefined);
    from.on("close", () => to.destroy());
  };
  carry(near, far);
  carry(far, near);
}
