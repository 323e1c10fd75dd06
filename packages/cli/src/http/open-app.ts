import { addConsole } from "@rungs/console";
import type { ServerOptions } from "@rungs/server";
import { addOAuth, createOAuth, createServer, ensureOwner, type OAuth, openSealer } from "@rungs/server";
import type { Store } from "@rungs/store";
import { createImportFile } from "./import-upload.ts";
import { addMcp } from "./mcp-endpoint.ts";

/** How a store is served. */
export interface AppOptions extends Pick<ServerOptions, "hosts" | "log" | "limits"> {
  /** Where the server listens: the address that tokens are made for, and where clients get them. */
  readonly url: string;
  /** The address that clients see, where it is another one. */
  readonly base_url?: string | undefined;
}

/** Everything that a server answers: the reads, `/mcp`, the authorization server and the console. */
export interface OpenedApp {
  readonly app: ReturnType<typeof createServer>;
  readonly oauth: OAuth;
}

/** Puts the parts of a server together. */
export async function openApp(store: Store, options: AppOptions): Promise<OpenedApp> {
  const { url, base_url, hosts = [], log, limits } = options;
  const owner_id = await ensureOwner(store);
  const issuer = base_url ?? url;
  const app = createServer({
    store,
    sealer: await openSealer(store),
    hosts: [...hosts, new URL(issuer).hostname],
    log,
    limits,
    base_url,
    authorization_servers: [issuer],
    audience: issuer,
  });
  const oauth = await createOAuth({ store, owner_id, now: Date.now, base_url: issuer });
  addOAuth(app, oauth);
  addMcp(app, store, { audience: issuer });
  const { consents, now } = oauth;
  addConsole(app, {
    store,
    owner_id,
    now,
    base_url,
    consents,
    importFile: createImportFile({ store, owner_id, now }),
  });
  return { app, oauth };
}
