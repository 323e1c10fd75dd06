/** Serves `subscriptions/listen` over HTTP: a stream of notifications to one caller. */
import {
  createMcpHandler,
  type McpHandlerRequestOptions,
  type McpServerFactory,
  type ServerEventBus,
} from "@modelcontextprotocol/server";
import type { Backend } from "./backend.ts";
import { type Listen, narrowListen } from "./listen.ts";
import { Subscriptions } from "./subscriptions.ts";

interface ListenServer {
  readonly adapter: McpServerFactory;
  readonly report?: ((error: unknown) => void) | undefined;
  /** Ends all open subscriptions. */
  readonly closing?: AbortSignal | undefined;
}

/** A request to listen, from a known caller. */
interface ListenCall {
  readonly request: Request;
  readonly message: object;
  readonly listen: Listen;
  readonly backend: Backend;
  readonly caller: McpHandlerRequestOptions & { readonly authInfo: { readonly token: string } };
}

/** Half of the connections that one token may open; calls get the other half. */
const LISTENS_MAX = 4;

/**
 * Creates the function that serves requests to listen. Each has its own bus, since no caller may learn what another
 * watches.
 */
export function createListenServer({ adapter, report, closing }: ListenServer) {
  const open = new Map<string, number>();
  const count = (token: string, change: number) => {
    const now = (open.get(token) ?? 0) + change;
    if (now > 0) open.set(token, now);
    else open.delete(token);
  };

  return async ({ request, message, listen, backend, caller }: ListenCall): Promise<Response> => {
    const { token } = caller.authInfo;
    if ((open.get(token) ?? 0) >= LISTENS_MAX) return refuse(listen);
    count(token, 1);
    let publish: ((uri: string) => void) | undefined;
    const subscriptions = new Subscriptions({
      changed: (uri) => publish?.(uri),
      ended: () => close(),
    });
    const close = () => void handler.close();
    closing?.addEventListener("abort", close);
    const end = () => {
      closing?.removeEventListener("abort", close);
      subscriptions.closeAll();
      count(token, -1);
    };
    const bus: ServerEventBus = {
      publish: () => undefined,
      subscribe(listener) {
        publish = (uri) => listener({ kind: "resource_updated", uri });
        return end;
      },
    };
    const handler = createMcpHandler(adapter, { bus, ...(report ? { onerror: report } : {}) });
    try {
      const uris = await subscriptions.openAll(listen.uris, listen.id, backend);
      const { url, method, headers, signal } = request;
      const body = JSON.stringify(narrowListen(message, uris));
      return await handler.fetch(new Request(url, { method, headers, signal, body }), caller);
    } finally {
      if (!publish) end();
    }
  };
}

function refuse({ id }: Listen): Response {
  const message = `A token listens at most ${LISTENS_MAX} times at once.`;
  return Response.json({ jsonrpc: "2.0", id, error: { code: -32603, message } });
}
