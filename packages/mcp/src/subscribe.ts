/** `resources/subscribe` and `resources/unsubscribe`, for connections that open with `initialize`. */
import type { McpServer } from "@modelcontextprotocol/server";
import type { Backend } from "./backend.ts";
import { toProtocolError } from "./resource.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** Registers both. */
export function registerSubscribe(server: McpServer, subscriptions: Subscriptions, backend: Backend): void {
  server.server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    try {
      await subscriptions.open(uri, uri, backend);
      return {};
    } catch (error) {
      throw toProtocolError(error, uri, undefined, backend);
    }
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscriptions.close(uri);
    return {};
  });
}
