import { createMcpHandler, type McpRequestContext } from "@modelcontextprotocol/server";
import { createClient } from "@rungs/client";
import { ApiError, describeRefusal } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import { createAdapter } from "./adapter.ts";
import type { Backend } from "./backend.ts";
import { Cancellations } from "./cancellations.ts";
import { readListen } from "./listen.ts";
import { type Message, readRpcMessages } from "./rpc-messages.ts";
import { createListenServer } from "./serve-listen.ts";

/** Whether a token is a client's or the owner's. */
export type TokenKind = "client" | "owner";

/** The token of a request, and the thumbprint of the key that it is bound to (RFC 9449). */
export interface AuthenticatedToken {
  readonly kind: TokenKind;
  readonly token: string;
  readonly thumbprint: string | undefined;
}

/** What `createMcpEndpoint` needs. */
export interface EndpointOptions {
  readonly version: string;
  /** The resource server's own `fetch`, in process: the token never leaves the server that issued it. */
  readonly fetch: (request: Request, thumbprint: string | undefined) => Response | Promise<Response>;
  /** Authenticates a request to this address, or throws. */
  readonly authenticate: (request: Request, base_url: string) => Promise<AuthenticatedToken>;
  /** The headers of a refusal; the challenge among them names the metadata at `metadata_url`. */
  readonly listHeaders: (refusal: CodedError, metadata_url: string) => [string, string][];
  /** The address that clients see; by default, that of the request. */
  readonly base_url?: string | undefined;
  readonly report?: ((error: unknown) => void) | undefined;
  /** Aborts when the server stops: open subscriptions end, so that their clients reconnect to another server. */
  readonly closing?: AbortSignal | undefined;
}

const METADATA = "/.well-known/oauth-protected-resource/mcp";

/** Creates the Streamable HTTP endpoint: it takes a client's token and makes every read with it (R50). */
export function createMcpEndpoint(options: EndpointOptions): (request: Request) => Promise<Response> {
  const { version, fetch, authenticate, report } = options;
  const connect = ({
    authInfo,
    requestInfo,
  }: Pick<McpRequestContext, "authInfo" | "requestInfo">): Backend => {
    const base_url = baseUrlOf(requestInfo, options);
    // Reads end when the caller of this endpoint hangs up.
    const inProcess = (url: string, init: RequestInit) =>
      fetch(
        new Request(url, { ...init, signal: joinSignals(init.signal, requestInfo?.signal) }),
        authInfo?.extra?.thumbprint as string | undefined,
      );
    return {
      client: createClient({ base_url, token: authInfo?.token, fetch: inProcess }),
      base_url,
      report,
    };
  };
  const adapter = createAdapter({ version, connect });
  const handler = createMcpHandler(adapter, { ...(report ? { onerror: report } : {}) });
  const serveListen = createListenServer({ adapter, report, closing: options.closing });
  const cancellations = new Cancellations();

  return async (request) => {
    const base_url = baseUrlOf(request, options);
    let authenticated: AuthenticatedToken;
    try {
      authenticated = await authenticate(request, base_url);
      if (authenticated.kind !== "client") throw new ApiError("client_token_required");
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      const { status, body } = describeRefusal(error);
      return Response.json(body, { status, headers: options.listHeaders(error, base_url + METADATA) });
    }
    const { token, thumbprint } = authenticated;
    const { messages, isBatch } = await readRpcMessages(request);
    const whole = isBatch ? dropSelfCancellations(request, messages) : request;
    cancellations.cancel(token, messages);
    const caller = { authInfo: { token, clientId: "", scopes: [], extra: { thumbprint } } };
    const [message] = messages;
    const listen = message && !isBatch ? readListen(message) : undefined;
    return cancellations.serve(token, messages, (cancelled) => {
      const own = new Request(whole, { signal: joinSignals(whole.signal, cancelled) });
      if (!message || !listen) return handler.fetch(own, caller);
      const backend = connect({ ...caller, requestInfo: own });
      return serveListen({ request: own, message, listen, backend, caller });
    });
  };
}

function joinSignals(...signals: readonly (AbortSignal | null | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal instanceof AbortSignal));
}

function baseUrlOf(request: Request | undefined, { base_url }: EndpointOptions): string {
  return base_url ?? new URL(request?.url ?? "http://localhost").origin;
}

/**
 * Removes cancellations of requests of the same batch. A cancelled request gets no answer, so a client that sent both at
 * once would wait until the connection closes.
 */
export function dropSelfCancellations(request: Request, messages: readonly Message[]): Request {
  const ids = new Set(messages.map(({ id }) => id));
  const others = messages.filter(
    ({ method, params }) => method !== "notifications/cancelled" || !ids.has(params?.requestId),
  );
  if (others.length === messages.length) return request;
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: JSON.stringify(others) });
}
