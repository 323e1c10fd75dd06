import type { Client } from "@rungs/client";

/** The resource server that the adapter reads from, under one caller's token. */
export interface Backend {
  readonly client: Client;
  /** The server's address as its owner sees it, for links to the console; undefined when no server is running. */
  readonly base_url: string | undefined;
  /** Called with unexpected errors (not `CodedError`s). */
  readonly report?: ((error: unknown) => void) | undefined;
}
