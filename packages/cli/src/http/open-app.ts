import { addConsole, type ImportFile } from "@rungs/console";
import type { ClientDocuments, ImportedConnection, Log, OwnerContext, ServerOptions } from "@rungs/server";
import {
  addMetrics,
  addOAuth,
  createMeter,
  createOAuth,
  createServer,
  ensureOwner,
  type OAuth,
  openSealer,
} from "@rungs/server";
import type { Store } from "@rungs/store";
import { planImports } from "../import/plan.ts";
import { runImport } from "../import/run.ts";
import { addMcp } from "./mcp-endpoint.ts";

/** How to serve a store. */
export interface AppOptions extends Pick<ServerOptions, "hosts" | "log" | "limits"> {
  /** Where the server listens: the audience and the issuer of tokens, unless `base_url` is set. */
  readonly url: string;
  /** The address that clients see, if a proxy gives it another one. */
  readonly base_url?: string | undefined;
  /** The command that makes a login link, for the sign-in page. */
  readonly login_command?: string | undefined;
  /** Whether to offer reading the documents of clients. */
  readonly client_documents?: ClientDocuments | undefined;
}

/** The app: the resource server, `/mcp`, the authorization server and the console. */
export interface OpenedApp {
  readonly app: ReturnType<typeof createServer>;
  readonly oauth: OAuth;
  /** Takes the log entries of requests that do not reach the app. */
  readonly log: Log;
}

/** Composes the app on a store. */
export async function openApp(store: Store, options: AppOptions): Promise<OpenedApp> {
  const { url, base_url, hosts = [], log, limits, client_documents, login_command } = options;
  const owner_id = await ensureOwner(store);
  const issuer = base_url ?? url;
  const meter = createMeter();
  const logAll: Log = (entry) => {
    meter.add(entry);
    log?.(entry);
  };
  const app = createServer({
    store,
    sealer: await openSealer(store),
    hosts: [...hosts, new URL(issuer).hostname],
    log: logAll,
    limits,
    base_url,
    authorization_servers: [issuer],
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
  addOAuth(app, oauth);
  addMetrics(app, { store, owner_id, now: Date.now, meter, audience: issuer });
  addMcp(app, store, { audience: issuer, rate: limits?.rate });
  const { consents, now } = oauth;
  const importFile = createImportFile({ store, owner_id, now });
  addConsole(app, { store, owner_id, now, base_url, consents, importFile, login_command });
  return { app, oauth, log: logAll };
}

/** Imports a file that was uploaded to the console, exactly as `rungs import` does. */
function createImportFile(owner: OwnerContext): ImportFile {
  return async ({ path, label, stop }, report) => {
    const options = { format: undefined, connection_id: undefined, manifest: undefined, label };
    const { plans, left_out, close } = await planImports(path, options);
    try {
      const imports: ImportedConnection[] = [];
      for (const plan of plans) {
        if (stop.aborted) break;
        let items = 0;
        const onItem = () => {
          items += 1;
          report({ ...plan.files.progress, items });
        };
        const observer = { note: () => undefined, onItem, onRejected: undefined, stop };
        const { tally } = await runImport(plan, owner, observer);
        imports.push({ connection_id: plan.connection_id, ...tally });
      }
      return { state: stop.aborted ? "stopped" : "done", imports, left_out };
    } finally {
      await close();
    }
  };
}
