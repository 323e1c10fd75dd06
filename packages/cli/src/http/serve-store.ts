import { removeLeftUploads } from "@rungs/console";
import { createLoginLink, type Log } from "@rungs/server";
import type { Store } from "@rungs/store";
import { listen } from "./listen.ts";
import { type OpenedApp, openApp } from "./open-app.ts";

/** Where a store is served, and under which names it is reached. */
export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly hosts: readonly string[];
  readonly log?: Log | undefined;
  /** The address that clients see, when another program stands in between. */
  readonly base_url?: string | undefined;
}

/** A server's address, and the one that signs its owner in to the console once. */
export interface Served {
  readonly url: string;
  readonly console_url: string;
}

/** Serves a store until the program is told to stop; `announce` hears its addresses. */
export async function serveStore(
  store: Store,
  { host, port, ...options }: ServeOptions,
  announce: (served: Served) => void,
): Promise<void> {
  await removeLeftUploads();
  // The port is known when the server listens, and what it answers depends on it.
  const opened = Promise.withResolvers<OpenedApp>();
  const answer = async (request: Request, env: object) => (await opened.promise).app.fetch(request, env);
  const { url, stop } = await listen(answer, { host, port });
  try {
    const app = await openApp(store, { url: reachable(url), ...options });
    opened.resolve(app);
    const stopped = untilStopped();
    announce({ url, console_url: await createLoginLink(app.oauth, app.oauth.base_url) });
    await stopped;
  } finally {
    await stop();
  }
}

/** Whoever listens on every address is reached on this machine's own. */
function reachable(url: string): string {
  return url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\]):/, "http://127.0.0.1:");
}

/** A terminal and npm both pass Ctrl-C on, so it may come twice: the second one must not cut the end short. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve());
  });
}
