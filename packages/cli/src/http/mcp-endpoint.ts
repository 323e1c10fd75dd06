import { ApiError, parseTimeMs } from "@rungs/contract";
import { createMcpEndpoint, type TokenKind } from "@rungs/mcp";
import { type createServer, digestToken, PROGRAM_VERSION } from "@rungs/server";
import type { Store } from "@rungs/store";
import type { StatusCode } from "hono/utils/http-status";

type App = ReturnType<typeof createServer>;

/** Gives a server its `/mcp`: the reads of the adapter go through the server's own `fetch`, under the caller's token. */
export function addMcp(app: App, store: Store, now: () => number = Date.now): void {
  const endpoint = createMcpEndpoint({
    version: PROGRAM_VERSION,
    fetch: (request) => app.fetch(request),
    authenticate: (header) => findTokenKind(header, store, now()),
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
): Promise<TokenKind> {
  const bearer = /^bearer +(\S{1,600}) *$/i.exec(header ?? "")?.[1];
  if (bearer === undefined) throw new ApiError("missing_token");
  const token = await store.findToken(digestToken(bearer));
  const isOver = token?.expires_at !== undefined && !((parseTimeMs(token.expires_at) ?? 0) > now_ms);
  if (!token || token.revoked_at !== undefined || isOver) throw new ApiError("invalid_token");
  return token.kind;
}
