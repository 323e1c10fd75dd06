import { createServer, ensureOwner, type Log, openSealer } from "@rungs/server";
import type { Store } from "@rungs/store";
import { listen } from "./listen.ts";
import { addMcp } from "./mcp-endpoint.ts";

/** Where a store is served, and under which names it is reached. */
export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly hosts: readonly string[];
  readonly log?: Log | undefined;
}

/** Serves a store with its `/mcp` until the program is told to stop; `announce` hears the address. */
export async function serveStore(
  store: Store,
  { host, port, hosts, log }: ServeOptions,
  announce: (url: string) => void,
): Promise<void> {
  await ensureOwner(store);
  const app = createServer({ store, sealer: await openSealer(store), hosts, log });
  addMcp(app, store);
  const { url, stop } = await listen(app.fetch, { host, port });
  const stopped = untilStopped();
  announce(url);
  await stopped;
  await stop();
}

/** A terminal and npm both pass Ctrl-C on, so it may come twice: the second one must not cut the end short. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve());
  });
}
