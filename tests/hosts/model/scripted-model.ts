/** A scripted model on loopback, in every wire format that the hosts speak. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { type Dialect, type Reply, type Turn, writeStream } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";

export interface ScriptedModel {
  readonly url: string;
  /** The tools of the newest request. */
  listTools(): Promise<readonly string[]>;
  /** Calls a tool and waits for the result in the host's next request. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Ends the conversation. */
  end(): Promise<void>;
  close(): Promise<void>;
}

const DIALECTS: readonly Dialect[] = [anthropic, responses, chat, gemini];

interface Waiting {
  readonly turn: Turn;
  reply(reply: Reply): void;
}

/**
 * Starts the model. Requests without a tool that `isOurs` are side tasks of the host, such as a title, and get a
 * one-word reply.
 */
export async function startScriptedModel(isOurs: (tool: string) => boolean): Promise<ScriptedModel> {
  let arrived = Promise.withResolvers<Waiting>();
  let calls = 0;
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const dialect = DIALECTS.find(({ path }) => path.test(pathname));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!dialect || request.method !== "POST") {
      response.writeHead(404, { "Content-Type": "application/json" }).end("{}");
      return;
    }
    const turn = dialect.readTurn(JSON.parse(Buffer.concat(chunks).toString()));
    const reply = (said: Reply) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.end(writeStream(dialect.writeEvents(said)));
    };
    if (turn.tools.some(isOurs)) arrived.resolve({ turn, reply });
    else reply({ text: "ok" });
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    listTools: async () => (await arrived.promise).turn.tools,
    async call(name, args) {
      const { reply } = await arrived.promise;
      arrived = Promise.withResolvers();
      calls += 1;
      const call_id = `call_${calls}`;
      reply({ call_id, name, args });
      const { turn } = await arrived.promise;
      return turn.results.get(call_id);
    },
    async end() {
      (await arrived.promise).reply({ text: "done" });
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
