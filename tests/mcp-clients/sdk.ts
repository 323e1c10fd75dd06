/**
 * The protocol's own clients, 2.x and 1.x. A package that they use has a `source` condition of its own, which leads
 * to TypeScript inside node_modules: it is resolved without ours.
 */
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    if (!/^eventsource(?:-parser)?(?:\/|$)/.test(specifier)) return next(specifier, context);
    return next(specifier, {
      ...context,
      conditions: context.conditions.filter((each) => each !== "source"),
    });
  },
});

export const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
export const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
export type { Client as McpClient } from "@modelcontextprotocol/client";

export const { Client: FirstClient } = await import("@modelcontextprotocol/sdk/client/index.js");
export const { StreamableHTTPClientTransport: FirstHttpTransport } = await import(
  "@modelcontextprotocol/sdk/client/streamableHttp.js"
);
export const { StdioClientTransport: FirstStdioTransport } = await import(
  "@modelcontextprotocol/sdk/client/stdio.js"
);
