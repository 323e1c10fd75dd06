/** The real HTTP stack for clients that cannot send a token: adds one to each incoming request. */
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";
import { createClient } from "@rungs/client";
import { createAdapter } from "@rungs/mcp";
import { listen } from "rungs/internal/listen";
import { createWorld } from "../../testing/world.ts";

export interface HostServer {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** Serves a world's `/mcp` with fixtures added to the adapter's own tools. */
export async function serveWithFixtures(addFixtures: (server: McpServer) => void): Promise<HostServer> {
  const world = await createWorld("sqlite");
  const base_url = "http://127.0.0.1";
  const inProcess = (url: string, init: RequestInit) => world.app.fetch(new Request(url, init));
  const client = createClient({ base_url, token: world.client, fetch: inProcess });
  const adapter = createAdapter({ version: "0.0.0", connect: () => ({ client, base_url }) });
  const handler = createMcpHandler(async (context) => {
    const server = (await adapter(context)) as McpServer;
    addFixtures(server);
    return server;
  });
  world.app.all("/mcp", ({ req }) => handler.fetch(req.raw));
  const { url, stop } = await listen(world.app.fetch, { host: "127.0.0.1", port: 0, stop_ms: 100 });
  return {
    url,
    token: world.client,
    async stop() {
      await stop();
      await world.close();
    },
  };
}
