import { createMcpEndpoint, type TokenKind } from "@rungs/mcp";
import { authenticate, type createServer, PROGRAM_VERSION } from "@rungs/server";
import type { Store } from "@rungs/store";
import type { StatusCode } from "hono/utils/http-status";

type App = ReturnType<typeof createServer>;

/** What `/mcp` is told, beside the store. */
export interface McpOptions {
  readonly now?: (() => number) | undefined;
  /** The address that tokens are made for; that of the request when left out. */
  readonly audience?: string | undefined;
}

/** Gives a server its `/mcp`: the reads of the adapter go through the server's own `fetch`, under the caller's token. */
export function addMcp(app: App, store: Store, { now = Date.now, audience }: McpOptions = {}): void {
  const endpoint = createMcpEndpoint({
    version: PROGRAM_VERSION,
    fetch: (request) => app.fetch(request),
    authenticate: (header, base_url) => findTokenKind(header, store, now(), audience ?? base_url),
  });
  app.all("/mcp", async (context) => {
    const { body, status, headers } = await endpoint(context.req.raw);
    // Made anew from its parts, the answer gets the headers that every answer of the server has.
    return context.newResponse(body, status as StatusCode, {
      ...Object.fromEntries(headers),
      "cache-control": "private, no-store, no-transform",
    });
  });
}

/** Whose token a header carries; the resource server judges every read by it again. */
export async function findTokenKind(
  header: string | undefined,
  store: Store,
  now_ms: number,
  audience: string,
): Promise<TokenKind> {
  return (await authenticate(header, store, now_ms, audience)).token.kind;
}
