import { createMcpEndpoint, type TokenKind } from "@rungs/mcp";
import {
  authenticate,
  type createServer,
  createTokenLimit,
  type Limits,
  limits,
  PROGRAM_VERSION,
} from "@rungs/server";
import type { Store } from "@rungs/store";
import type { StatusCode } from "hono/utils/http-status";

type App = ReturnType<typeof createServer>;

/** Options of `/mcp`. */
export interface McpOptions {
  readonly now?: (() => number) | undefined;
  /** The audience of tokens; by default the address of the request. */
  readonly audience?: string | undefined;
  /** The rate limit of one grant. */
  readonly rate?: Limits["rate"] | undefined;
}

/** Adds `/mcp` to a server. The adapter reads through the server's own `fetch`, under the caller's token. */
export function addMcp(app: App, store: Store, options: McpOptions = {}): void {
  const { now = Date.now, audience, rate = limits.rate } = options;
  const limit = createTokenLimit(rate, now);
  const endpoint = createMcpEndpoint({
    version: PROGRAM_VERSION,
    fetch: (request) => app.fetch(request),
    async authenticate(header, base_url) {
      const { token } = await authenticate(header, store, now(), audience ?? base_url);
      limit(token);
      return token.kind;
    },
  });
  app.all("/mcp", async (context) => {
    const { body, status, headers } = await endpoint(context.req.raw);
    // Build the response through the context, so that it gets the headers that middleware has set.
    return context.newResponse(body, status as StatusCode, {
      ...Object.fromEntries(headers),
      "cache-control": "private, no-store, no-transform",
    });
  });
}

/** Finds whose token a header carries. The resource server authorizes every read again. */
export async function findTokenKind(
  header: string | undefined,
  store: Store,
  now_ms: number,
  audience: string,
): Promise<TokenKind> {
  return (await authenticate(header, store, now_ms, audience)).token.kind;
}
