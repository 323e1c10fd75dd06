import { mkdirSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { join, resolve } from "node:path";
import {
  type AuthorizationServerOptions,
  type ClientDocuments,
  ensureOwner,
  findTrace,
  isProtected,
  LOGIN_LINK_MS,
  type Log,
  type OwnerContext,
  PROGRAM_VERSION,
} from "@rungs/server";
import type { StoreOptions } from "@rungs/store";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { DEFAULT_PORT, requireCount, requireDurationMs, requirePort } from "../command/option-values.ts";
import { openServedStore, resolvePlace } from "../home/database.ts";
import { type BackupSchedule, keepBackingUp } from "../home/dated-backups.ts";
import { resolveHome } from "../home/home.ts";
import { recordRunningServer } from "../home/running-server.ts";
import { type Served, serveStore, toLoopback } from "../http/serve-store.ts";
import { createTraceExporter, type TraceExporter } from "../http/trace-exporter.ts";
import { createUploadProcess } from "../import/upload-process.ts";
import { handOverKey } from "../keys/open-key.ts";
import { quoteWord } from "../reads/command-line.ts";
import { keepSyncProcess } from "../sync/sync-process.ts";

/** Two weeks of nightly backups. */
const BACKUPS_KEPT = 14;

/** `rungs serve`: the resource server. */
export const serve: Command = {
  options: {
    host: { type: "string", value: "ADDRESS", about: "the address to listen on; 127.0.0.1 by default" },
    port: { type: "string", value: "N", about: "the port to listen on; 7717 by default" },
    "allow-host": {
      type: "string",
      value: "NAME",
      multiple: true,
      about: "another name under which clients reach this server",
    },
    "behind-proxy": {
      type: "string",
      value: "URL",
      about:
        "the https address of a proxy that terminates TLS for this server; needed if --host is not loopback",
    },
    "database-replica": {
      type: "string",
      value: "URL",
      about:
        "a PostgreSQL replica for reads of records that it is recent enough for (env RUNGS_DATABASE_REPLICA)",
    },
    "client-documents": {
      type: "string",
      value: "WHEN",
      about:
        "on, off or auto: whether programs that sign in may publish their metadata at an https address for this server to fetch; auto (default): while it reaches the internet",
    },
    drain: {
      type: "string",
      value: "SECONDS",
      about:
        "how long to keep answering after SIGTERM while /readyz reports draining, for load balancers; 0 by default",
    },
    traces: {
      type: "string",
      value: "URL",
      about:
        "send a span for each request, without content, to this OpenTelemetry collector (OTLP over HTTP; env OTEL_EXPORTER_OTLP_HEADERS)",
    },
    "slow-queries": {
      type: "string",
      value: "MS",
      about:
        "log database statements slower than this many milliseconds, with plans and without content (env RUNGS_SLOW_QUERIES)",
    },
    "backup-every": {
      type: "string",
      value: "DURATION",
      about: "back up by schedule, such as 24h; give it to one of several servers",
    },
    "backup-to": {
      type: "string",
      value: "DIR",
      about: "the folder of these backups; HOME/backups by default",
    },
    "backup-keep": { type: "string", value: "N", about: "how many of them to keep; 14 by default" },
    "authorization-server": {
      type: "string",
      value: "URL",
      about:
        "another server that issues the clients' tokens and grants; needs --subject, and RUNGS_INTROSPECTION=ID:SECRET unless tokens are JWTs",
    },
    subject: {
      type: "string",
      value: "ID",
      about: "with --authorization-server: what it calls you (sub); tokens about others are refused",
    },
  },
  async run(call) {
    const { option, options, flag, io } = call;
    const authorization_server = readAuthorizationServer(call);
    const client_documents = requireDocuments(option("client-documents") ?? "auto");
    const host = option("host") ?? "127.0.0.1";
    const port = requirePort(option("port") ?? DEFAULT_PORT);
    const drain_ms = 1000 * requireSeconds(option("drain") ?? "0");
    const base_url = requireProxy(option("behind-proxy"), host);
    const backups = readSchedule(call);
    const traces = openTraces(call);
    const place = resolvePlace(call);
    const home = place.kind === "sqlite" ? place.home : undefined;
    // A path is shown only to this machine.
    const command_options =
      home === undefined || base_url !== undefined ? undefined : ` --home ${quoteWord(home)}`;
    const writeLine = io.log ?? io.err;
    const store = await openServedStore(call, { slow_queries: openSlowQueries(call, writeLine) });
    let forget: (() => void) | undefined;
    await ensureOwner(store);
    const found = {
      RUNGS_HOME: resolveHome(call),
      RUNGS_DATABASE: option("database") ?? io.env.RUNGS_DATABASE,
      ...handOverKey(place),
    };
    const endSyncs = keepSyncProcess(store, found);
    const endBackups = backups && keepBackingUp(backups, found);
    try {
      const hosts = [...listHostNames(host), ...options("allow-host")];
      const log: Log = (entry) => {
        writeLine(JSON.stringify(entry));
        traces?.add(entry);
      };
      const importFileOf = ({ owner_id }: OwnerContext) => createUploadProcess(place, owner_id, io.env);
      const settings = {
        host,
        port,
        hosts,
        base_url,
        log,
        client_documents,
        command_options,
        authorization_server,
        importFileOf,
        home: resolveHome(call),
        drain_ms,
        is_shared: place.kind === "postgres",
        backup_folder: backups?.folder,
      };
      await serveStore(store, settings, (served) => {
        if (home !== undefined) forget = recordRunningServer(home, { url: toLoopback(served.url) });
        io.out(flag("json") ? JSON.stringify(served) : renderServed(served));
      });
    } finally {
      forget?.();
      await endSyncs();
      await endBackups?.();
      await traces?.close();
      await store.close();
    }
    return Exit.done;
  },
};

/** Renders the address of the server and a login link for its owner. */
function renderServed({ url, console_url }: Served): string {
  return [
    `Rungs listens on ${url}`,
    `Sign in to your console with this link, which works once and for ${LOGIN_LINK_MS / 60_000} minutes:`,
    `  ${console_url}`,
  ].join("\n");
}

function requireDocuments(text: string): ClientDocuments {
  if (text === "auto" || text === "on" || text === "off") return text;
  throw new UsageError(`--client-documents takes on, off or auto, not ${text}.`);
}

/** Where spans go: off this machine, only over TLS. */
function openTraces({ option, io }: CommandCall): TraceExporter | undefined {
  const text = option("traces");
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || !isProtected(new URL(text)))
    throw new UsageError(`--traces takes an https address, or one of this machine, not ${text}.`);
  const url = text.replace(/(?:\/v1\/traces)?\/?$/, "/v1/traces");
  const pairs = (io.env.OTEL_EXPORTER_OTLP_HEADERS ?? "").split(",").filter((pair) => pair.includes("="));
  const headers = Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf("=")).trim(), pair.slice(pair.indexOf("=") + 1).trim()]),
  );
  const onChange = (sentence: string) => io.err(`rungs: ${sentence}`);
  return createTraceExporter({ url, headers, version: PROGRAM_VERSION, onChange });
}

/** Logs slow statements, each with its request. */
function openSlowQueries(
  { option, io }: CommandCall,
  writeLine: (line: string) => void,
): StoreOptions["slow_queries"] {
  const text = option("slow-queries") ?? io.env.RUNGS_SLOW_QUERIES;
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text))
    throw new UsageError(`--slow-queries takes milliseconds, up to 999999, not ${text}.`);
  return {
    from_ms: Number(text),
    report({ duration_ms, ...query }) {
      const { request_id, operation, parent } = findTrace() ?? {};
      const time = new Date().toISOString();
      writeLine(
        JSON.stringify({
          time,
          slow_query: { duration_ms: Math.round(duration_ms * 1000) / 1000, ...query },
          request_id,
          operation,
          parent,
        }),
      );
    },
  };
}

/** The backups to make, and the folder for them. */
function readSchedule(call: CommandCall): BackupSchedule | undefined {
  const every = call.option("backup-every");
  const keep = requireCount(call.option("backup-keep"), "backup-keep") ?? BACKUPS_KEPT;
  if (every === undefined) return undefined;
  const folder = resolve(call.option("backup-to") ?? join(resolveHome(call), "backups"));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { folder, every_ms: requireDurationMs(every, "backup-every"), keep };
}

function requireSeconds(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new UsageError(`--drain takes seconds, up to 999, not ${text}.`);
}

/** The server that issues tokens, if it is another one. */
function readAuthorizationServer({ option, io }: CommandCall): AuthorizationServerOptions | undefined {
  const issuer = option("authorization-server");
  const subject = option("subject");
  if (issuer === undefined && subject === undefined) return undefined;
  if (issuer === undefined || subject === undefined)
    throw new UsageError("--authorization-server and --subject go together.");
  if (!URL.canParse(issuer) || !isProtected(new URL(issuer)))
    throw new UsageError(`--authorization-server takes an https address, not ${issuer}.`);
  const [client_id, ...rest] = io.env.RUNGS_INTROSPECTION?.split(":") ?? [];
  const client_secret = rest.join(":");
  const credential = client_id && client_secret ? { client_id, client_secret } : undefined;
  return { issuer, subject, credential };
}

/** Tokens and records never travel unencrypted: a host beyond this machine needs a proxy that terminates TLS. */
function requireProxy(text: string | undefined, host: string): string | undefined {
  if (text === undefined) {
    if (isLocal(host)) return undefined;
    throw new UsageError(
      `--host ${host} accepts other machines, without encryption. Put a proxy that terminates TLS in front and name its address with --behind-proxy https://NAME, or leave --host out.`,
    );
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLocal(url.hostname));
  if (url && isSafe && url.pathname === "/" && url.search === "") return url.origin;
  throw new UsageError(`--behind-proxy takes an address such as https://data.example.org, not ${text}.`);
}

function isLocal(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** A server that listens on every address is reached under any of them. */
function listHostNames(host: string): string[] {
  if (host !== "0.0.0.0" && host !== "::") return [host];
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [hostname(), ...addresses.map(({ address }) => address)];
}
