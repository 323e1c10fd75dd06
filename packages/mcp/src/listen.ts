/**
 * `subscriptions/listen` (MCP 2026-07-28): the SDK answers it once we have narrowed its streams to what the caller may
 * watch.
 */
import { SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server";

/** A request to listen: its id, and the resources that it names. */
export interface Listen {
  readonly id: string | number;
  readonly uris: readonly string[];
}

/** More than a connection may watch: the rest is ignored. */
const URIS_MAX = 64;

interface Params {
  readonly notifications?: { readonly resourceSubscriptions?: unknown } | null;
}

/** Reads a request to listen; undefined for any other message, and for one that names no resources. */
export function readListen(message: {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}): Listen | undefined {
  const { id, method } = message;
  if (method !== "subscriptions/listen" || (typeof id !== "string" && typeof id !== "number"))
    return undefined;
  const uris = (message.params as Params | null | undefined)?.notifications?.resourceSubscriptions;
  if (!Array.isArray(uris)) return undefined;
  return { id, uris: uris.filter((uri) => typeof uri === "string").slice(0, URIS_MAX) };
}

/** The same request for these resources alone, as the acknowledgement names them. */
export function narrowListen(message: object, uris: readonly string[]): object {
  const { params } = message as { params: { notifications: object } };
  const notifications = { ...params.notifications, resourceSubscriptions: uris };
  return { ...message, params: { ...params, notifications } };
}

/** The answer that ends a listen. */
export function completeListen(id: string | number): object {
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: id };
  return { jsonrpc: "2.0", id, result: { resultType: "complete", _meta } };
}
