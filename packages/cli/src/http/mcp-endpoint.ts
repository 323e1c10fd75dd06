import { ApiError } from "@rungs/contract";
import { createMcpEndpoint, type TokenKind } from "@rungs/mcp";
import {
  createProofChecker,
  type createServer,
  createTokenLimit,
  digestToken,
  findDigest,
  type Limits,
  limits,
  listErrorHeaders,
  PROGRAM_VERSION,
  PROVEN_KEY,
  requireAccess,
  requireCredential,
  type Stopping,
  type TokenSource,
} from "@rungs/server";
import type { Store, StoredToken } from "@rungs/store";
import type { StatusCode } from "hono/utils/http-status";

type App = ReturnType<typeof createServer>;

/** Options of `/mcp`. */
export interface McpOptions {
  readonly now?: (() => number) | undefined;
  /** The audience of tokens; by default the address of the request. */
  readonly audience?: string | undefined;
  /** Where clients' tokens are looked up; by default in the store. */
  readonly tokens?: TokenSource | undefined;
  /** The rate limit of one grant. */
  readonly rate?: Limits["rate"] | undefined;
  readonly stopping?: Stopping | undefined;
}

/** Adds `/mcp` to a server. The adapter reads through the server's own `fetch`, under the caller's token. */
export function addMcp(app: App, store: Store, options: McpOptions = {}): void {
  const { now = Date.now, audience, rate = limits.rate, tokens = store } = options;
  const limit = createTokenLimit("mcp", rate, { store, now });
  const proofs = createProofChecker(store, now);
  const endpoint = createMcpEndpoint({
    version: PROGRAM_VERSION,
    closing: options.stopping?.closing,
    listHeaders: listErrorHeaders,
    fetch: (request, thumbprint) => app.fetch(request, { [PROVEN_KEY]: thumbprint }),
    async authenticate(request, base_url) {
      const credential = requireCredential(request.headers.get("Authorization") ?? undefined);
      const { digest, proof } = await findDigest(
        credential,
        {
          method: request.method,
          url: base_url + new URL(request.url).pathname,
          proof: request.headers.get("DPoP") ?? undefined,
        },
        proofs,
      );
      const looked = { digest, token: credential.token };
      const { token } = await requireAccess(looked, tokens, now(), audience ?? base_url);
      await limit(token);
      if (proof) await proofs.requireFirstUse(proof, token.owner_id);
      return { kind: requireReader(token.kind), token: credential.token, thumbprint: proof?.thumbprint };
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

/** Finds whose token this is. The resource server authorizes every read again. */
export async function findTokenKind(
  token: string,
  store: Store,
  now_ms: number,
  audience: string,
): Promise<TokenKind> {
  const credential = requireCredential(`Bearer ${token}`);
  const { token: found } = await requireAccess(
    { digest: digestToken(credential.token) },
    store,
    now_ms,
    audience,
  );
  return requireReader(found.kind);
}

/** Refuses write-only tokens: everything here reads. */
function requireReader(kind: StoredToken["kind"]): TokenKind {
  if (kind === "writer") throw new ApiError("write_only_token");
  return kind;
}
