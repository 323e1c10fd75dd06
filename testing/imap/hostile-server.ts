/** A scripted mail server, for behaviour that no honest server shows. */
import { createServer, type Socket } from "node:net";
import { createSecureContext, createServer as createTlsServer, TLSSocket } from "node:tls";

/** Answers a command: its tag, its name and its arguments. */
export type Answer = (socket: Socket, tag: string, command: string, rest: string) => void;

/** A running server. */
export interface HostileServer {
  readonly port: number;
  /** The received commands, without their tags. */
  readonly commands: readonly string[];
  stop(): Promise<void>;
}

/** The responses of an honest server with one folder and one message. */
const HONEST: Readonly<Record<string, string>> = {
  CAPABILITY: "* CAPABILITY IMAP4rev1\r\n",
  LOGIN: "",
  NAMESPACE: "",
  ID: "",
  LIST: '* LIST (\\HasNoChildren) "/" INBOX\r\n',
  LSUB: '* LSUB () "/" INBOX\r\n',
  STATUS: "* STATUS INBOX (MESSAGES 1 UIDNEXT 2 UIDVALIDITY 7)\r\n",
  EXAMINE: "* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 2] x\r\n",
  LOGOUT: "* BYE\r\n",
};

/** How the server encrypts: from the first byte, or after STARTTLS; with a certificate and its key in one text. */
export interface HostileTls {
  readonly at: "start" | "STARTTLS";
  readonly pem: string;
}

/** Starts a server. `answers` overrides the honest responses, by command name. */
export async function startHostileServer(
  answers: Readonly<Record<string, string | Answer>>,
  tls?: HostileTls,
): Promise<HostileServer> {
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const certificate = tls && { cert: tls.pem, key: tls.pem };
  const serve = (socket: Socket) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
        const [, tag = "", name = "", rest = ""] =
          /^(\S+) ((?:UID )?\S+) ?(.*)$/.exec(text.slice(0, end)) ?? [];
        text = text.slice(end + 2);
        commands.push(`${name} ${rest}`.trim());
        const answer = answers[name] ?? HONEST[name] ?? "";
        if (name === "STARTTLS" && tls?.at === "STARTTLS") {
          socket.removeAllListeners("data");
          socket.write(`${tag} OK begin\r\n`);
          const secure = new TLSSocket(socket, {
            isServer: true,
            secureContext: createSecureContext(certificate),
          });
          secure.on("error", () => undefined);
          serve(secure);
          return;
        }
        if (typeof answer === "function") answer(socket, tag, name, rest);
        else socket.write(`${answer}${tag} OK done\r\n`);
      }
    });
  };
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
    const greeting = answers.greeting ?? "* OK ready\r\n";
    if (typeof greeting === "string") socket.write(greeting);
    serve(socket);
  };
  const server = tls?.at === "start" ? createTlsServer({ ...certificate }, accept) : createServer(accept);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    commands,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Writes the same text forever, as fast as it is read. */
export function flood(socket: Socket, text: string): void {
  const block = text.repeat(Math.ceil(65_536 / text.length));
  const write = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on("drain", write);
  write();
}
