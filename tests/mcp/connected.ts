/** A client that stays connected for a whole suite. */
import { after, before } from "node:test";
import { connectApp } from "../../testing/mcp/connect.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";

/** A world and a client with a grant over both of its connections; available from the suite's first test on. */
export function openConnected(): { readonly served: ServedWorld; readonly client: McpClient } {
  let served: ServedWorld;
  let client: McpClient;
  before(async () => {
    served = await serveWorld("sqlite");
    client = await connectApp(served.world.app, (await served.allowBoth()).token);
  });
  after(async () => {
    await client?.close();
    await served?.close();
  });
  return {
    get served() {
      return served;
    },
    get client() {
      return client;
    },
  };
}
