import { type McpRequestContext, McpServer, type McpServerFactory } from "@modelcontextprotocol/server";
import type { Client } from "@rungs/client";
import { instructions } from "./instructions.ts";
import { resources } from "./resources/index.ts";
import { registerResource } from "./resources/resource.ts";
import { registerTool } from "./tool.ts";
import { tools } from "./tools/index.ts";

/** The resource server that the adapter reads from, under one caller's token. */
export interface Backend {
  readonly client: Client;
  /** The server's address as its owner sees it, for links to the console. */
  readonly base_url: string;
  /** Hears of what went wrong without being anybody's refusal. */
  readonly report?: ((error: unknown) => void) | undefined;
}

/** What an adapter is made of. */
export interface AdapterOptions {
  readonly version: string;
  /** Called for each request over HTTP and once over stdio: the token is the caller's own (R50). */
  readonly connect: (context: McpRequestContext) => Backend;
}

const PRIVATE = { cacheScope: "private" } as const;

/** Makes the factory that serves every revision of the protocol, over any transport. */
export function createAdapter({ version, connect }: AdapterOptions): McpServerFactory {
  return (context) => {
    const backend = connect(context);
    const server = new McpServer(
      { name: "rungs", title: "Rungs", version },
      {
        instructions,
        capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
        cacheHints: {
          "tools/list": PRIVATE,
          "resources/list": PRIVATE,
          "resources/templates/list": PRIVATE,
          "resources/read": PRIVATE,
          "server/discover": PRIVATE,
        },
      },
    );
    for (const tool of tools) registerTool(server, tool, backend);
    for (const resource of resources) registerResource(server, resource, backend);
    return server;
  };
}
