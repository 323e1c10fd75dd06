import type { Message } from "./rpc-messages.ts";

/**
 * Removes cancellations of requests of the same batch. A cancelled request gets no answer, so a client that sent both at
 * once would wait until the connection closes.
 */
export function keepBatchWhole(request: Request, messages: readonly Message[]): Request {
  const ids = new Set(messages.map(({ id }) => id));
  const others = messages.filter(
    ({ method, params }) => method !== "notifications/cancelled" || !ids.has(params?.requestId),
  );
  if (others.length === messages.length) return request;
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: JSON.stringify(others) });
}
