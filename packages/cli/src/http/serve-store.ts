import { setTimeout as sleep } from "node:timers/promises";
import { removeLeftUploads } from "@rungs/console";
import {
  type AuthorizationServerOptions,
  type ClientDocuments,
  createLoginLink,
  expireAudits,
  keepEmbedding,
  keepRecordsReady,
  keepSendingEvents,
  type Log,
  openSealer,
  sendHeartbeats,
} from "@rungs/server";
import type { Store } from "@rungs/store";
import { createFloodGate } from "./flood-gate.ts";
import { listen } from "./listen.ts";
import { type AppOptions, type OpenedApp, openApp } from "./open-app.ts";

const DAY_MS = 86_400_000;
/** How long exports and downloads may continue once the server takes no new connections. */
const STREAMS_MS = 8_000;

/** Where to serve a store, and under which host names. */
export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly hosts: readonly string[];
  readonly log?: Log | undefined;
  /** The address that clients see, behind a proxy. */
  readonly base_url?: string | undefined;
  readonly client_documents?: ClientDocuments | undefined;
  /** What commands on this machine need to find the store, where its pages may show it. */
  readonly command_options?: string | undefined;
  readonly authorization_server?: AuthorizationServerOptions | undefined;
  readonly importFileOf?: AppOptions["importFileOf"];
  /** The data directory. */
  readonly home?: string | undefined;
  /** Whether other servers may use the database: then each is listed. */
  readonly is_shared?: boolean | undefined;
  /** The folder of scheduled backups. */
  readonly backup_folder?: string | undefined;
  /** How long to keep answering after SIGTERM, so that load balancers notice. */
  readonly drain_ms?: number | undefined;
}

/** The server's address, and a one-time login link to the console. */
export interface Served {
  readonly url: string;
  readonly console_url: string;
}

/** Serves a store until SIGINT or SIGTERM; calls `announce` with its addresses. */
export async function serveStore(
  store: Store,
  { host, port, drain_ms = 0, ...options }: ServeOptions,
  announce: (served: Served) => void,
): Promise<void> {
  await removeLeftUploads();
  // The app depends on the port, which is known only once the server listens.
  const opened = Promise.withResolvers<OpenedApp>();
  const answer = async (request: Request, env: object) => (await opened.promise).app.fetch(request, env);
  const upkeep: { end: AbortController; work?: Promise<unknown> } = { end: new AbortController() };
  const [begun, closing, ending] = [new AbortController(), new AbortController(), new AbortController()];
  const stopping = { begun: begun.signal, closing: closing.signal, ending: ending.signal };
  const gate = createFloodGate((entry) => void opened.promise.then(({ log }) => log(entry)));
  const { url, stop } = await listen(answer, { host, port, gate, leaving: begun.signal });
  let expiring: NodeJS.Timeout | undefined;
  try {
    const app = await openApp(store, { url: toLoopback(url), stopping, ...options });
    opened.resolve(app);
    const stopped = untilStopped();
    await expireAudits(app.oauth);
    expiring = setInterval(() => void expireAudits(app.oauth).catch(() => undefined), DAY_MS);
    upkeep.work = Promise.all([
      keepEmbedding(app.oauth, upkeep.end.signal),
      ...(options.is_shared
        ? [
            sendHeartbeats(
              app.oauth,
              { address: url, meter: app.meter, draining: begun.signal },
              upkeep.end.signal,
            ),
          ]
        : []),
      keepRecordsReady(app.oauth, upkeep.end.signal),
      keepSendingEvents(
        { ...app.oauth, sealer: await openSealer(store), is_local: options.base_url === undefined },
        upkeep.end.signal,
      ),
    ]);
    announce({ url, console_url: await createLoginLink(app.oauth, app.oauth.base_url) });
    const signal = await stopped;
    begun.abort();
    if (signal === "SIGTERM") await sleep(drain_ms);
  } finally {
    clearInterval(expiring);
    upkeep.end.abort();
    closing.abort();
    const late = setTimeout(() => ending.abort(), STREAMS_MS);
    await stop();
    clearTimeout(late);
    await upkeep.work;
  }
}

/** A server that listens on every address is reached on loopback. */
export function toLoopback(url: string): string {
  return url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\]):/, "http://127.0.0.1:");
}

/** A terminal and npm may both forward Ctrl-C: the second signal must not abort the graceful stop. */
function untilStopped(): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, resolve);
  });
}
