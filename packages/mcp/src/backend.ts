import type { Client } from "@rungs/client";

/** The resource server that the adapter reads from, under one caller's token. */
export interface Backend {
  readonly client: Client;
  /** The server's address as its owner sees it, for links to the console; undefined when no server is running. */
  readonly base_url: string | undefined;
  /** Called with unexpected errors (not `CodedError`s). */
  readonly report?: ((error: unknown) => void) | undefined;
}

/** The backend for one request: its reads end when the host cancels it (R57). */
export function untilCancelled(backend: Backend, signal: AbortSignal): Backend {
  return { ...backend, client: backend.client.until(signal) };
}
