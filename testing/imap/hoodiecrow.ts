import { createRequire } from "node:module";
import type { AddressInfo, Server, Socket } from "node:net";
import { type MailServer, type MailServerOptions, PASSWORD, USER } from "./mail-account.ts";

const require = createRequire(import.meta.url);

const PLUGINS = ["ENABLE", "CONDSTORE", "IDLE", "LITERALPLUS", "UIDPLUS", "MOVE", "NAMESPACE", "UNSELECT"];

type Handler = (connection: IdleConnection, ...rest: unknown[]) => void;

interface IdleConnection {
  readonly socket: Socket;
  /** The handler of a connection's input during IDLE. */
  inputHandler: ((line: string) => void) | false | undefined;
}

/** Ends IDLE with its connection: the plugin's timer would keep the process for half an hour. */
function endIdleOnClose(server: {
  getCommandHandler(name: string): Handler;
  setCommandHandler(name: string, handler: Handler): void;
}): void {
  const idle = server.getCommandHandler("IDLE");
  server.setCommandHandler("IDLE", (connection, ...rest) => {
    idle(connection, ...rest);
    const { socket, inputHandler } = connection;
    if (inputHandler) socket.once("close", () => inputHandler("DONE"));
  });
}

/** Starts hoodiecrow, a mail server in memory; a restart breaks its connections and keeps its mail. */
export async function startHoodiecrow(
  { without = [] }: MailServerOptions = {},
  extra: readonly string[] = [],
): Promise<MailServer> {
  const hoodiecrow = require("hoodiecrow-imap") as (options: object) => {
    server: Server;
    listen(port: number, host: string, done: () => void): void;
    close(done: () => void): void;
  };
  const plugins = [...PLUGINS, ...extra].filter((name) => !without.includes(name));
  const server = hoodiecrow({
    plugins: plugins.includes("IDLE") ? [...plugins, endIdleOnClose] : plugins,
    users: { [USER]: { password: PASSWORD } },
    storage: { INBOX: {}, "": { separator: "/" } },
  });
  const sockets = new Set<{ destroy(): void }>();
  server.server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    name: "hoodiecrow",
    port: (server.server.address() as AddressInfo).port,
    restart: async () => breakAll(),
    stop: () =>
      new Promise((resolve) => {
        breakAll();
        server.close(resolve);
      }),
  };
}
