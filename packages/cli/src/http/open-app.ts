import { addConsole, type ImportFile, refuseWithPage, type SyncDesk } from "@rungs/console";
import { importers } from "@rungs/importers";
import {
  type AuthorizationServerOptions,
  addMetrics,
  addOAuth,
  type ClientDocuments,
  createMeter,
  createOAuth,
  createRemoteTokens,
  createServer,
  ensureOwner,
  type Log,
  type Meter,
  type OAuth,
  type OwnerContext,
  openSealer,
  type ServerOptions,
} from "@rungs/server";
import { addSync, listRuns, listSyncs, pauseSync, removeSync, runSoon } from "@rungs/sources";
import type { Store } from "@rungs/store";
import { findLastBackup } from "../home/dated-backups.ts";
import { createUploadImport } from "../import/upload.ts";
import { openSyncContext } from "../sync/sync-context.ts";
import { addMcp } from "./mcp-endpoint.ts";

/** How to serve a store. */
export interface AppOptions extends Pick<ServerOptions, "hosts" | "log" | "limits" | "stopping"> {
  /** Where the server listens: the audience and the issuer of tokens, unless `base_url` is set. */
  readonly url: string;
  /** The address that clients see, if a proxy gives it another one. */
  readonly base_url?: string | undefined;
  /** What commands on this machine need to find the store, such as ` --home DIR`, for the console's pages. */
  readonly command_options?: string | undefined;
  /** Whether to offer reading the documents of clients. */
  readonly client_documents?: ClientDocuments | undefined;
  /** Another server that issues the clients' tokens; without it, this one does. */
  readonly authorization_server?: AuthorizationServerOptions | undefined;
  /** How to import an owner's uploads; in this process by default. */
  readonly importFileOf?: ((owner: OwnerContext) => ImportFile) | undefined;
  /** The data directory, which has the key of the sources' secrets; without it, the console adds no syncs. */
  readonly home?: string | undefined;
  /** The folder of scheduled backups. */
  readonly backup_folder?: string | undefined;
}

/** The app: the resource server, `/mcp`, the authorization server and the console. */
export interface OpenedApp {
  readonly app: ReturnType<typeof createServer>;
  readonly oauth: OAuth;
  readonly meter: Meter;
  /** Takes the log entries of requests that do not reach the app. */
  readonly log: Log;
}

/** Composes the app on a store. */
export async function openApp(store: Store, options: AppOptions): Promise<OpenedApp> {
  const { url, base_url, hosts = [], log, limits, stopping, client_documents, command_options } = options;
  const owner_id = await ensureOwner(store);
  const issuer = base_url ?? url;
  const meter = createMeter();
  const logAll: Log = (entry) => {
    meter.add(entry);
    log?.(entry);
  };
  const { authorization_server } = options;
  const place = { store, owner_id, now: Date.now, audience: issuer };
  const tokens = authorization_server && createRemoteTokens(place, authorization_server);
  const app = createServer({
    store,
    tokens,
    sealer: await openSealer(store),
    hosts: [...hosts, new URL(issuer).hostname],
    log: logAll,
    limits,
    stopping,
    renderRefusal: refuseWithPage,
    base_url,
    authorization_servers: [authorization_server?.issuer ?? issuer],
    audience: issuer,
  });
  const oauth = await createOAuth({
    store,
    owner_id,
    now: Date.now,
    base_url: issuer,
    behind_proxy: base_url !== undefined,
    client_documents,
  });
  if (!authorization_server) addOAuth(app, oauth);
  const { backup_folder } = options;
  addMetrics(app, {
    store,
    owner_id,
    now: Date.now,
    meter,
    audience: issuer,
    home: options.home,
    findLastBackup: backup_folder === undefined ? undefined : () => findLastBackup(backup_folder) ?? 0,
  });
  addMcp(app, store, { audience: issuer, rate: limits?.rate, tokens, stopping });
  const formats = importers.map(({ id, label }) => ({ id, label }));
  addConsole(app, {
    store,
    owner_id,
    now: oauth.now,
    base_url,
    formats,
    command_options,
    servicesOf: (owner) => ({
      consents: oauth.consentsOf(owner),
      importFile: options.importFileOf?.(owner) ?? createUploadImport(owner),
      syncs: options.home === undefined ? undefined : createSyncDesk(owner, options.home),
    }),
  });
  return { app, oauth, meter, log: logAll };
}

/** What the console does with syncs, exactly as `rungs sync` does. */
function createSyncDesk(owner: OwnerContext, home: string): SyncDesk {
  const context = openSyncContext(owner, home);
  return {
    list: () => listSyncs(context),
    listRuns: (sync_id) => listRuns(context, sync_id),
    add: async (request) => (await addSync(context, request)).sync_id,
    run: (sync_id) => runSoon(context, sync_id),
    pause: (sync_id, is_paused) => pauseSync(context, sync_id, is_paused),
    remove: (sync_id) => removeSync(context, sync_id),
  };
}
