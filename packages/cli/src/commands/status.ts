import { statSync } from "node:fs";
import { foldToLine } from "@rungs/evidence";
import { listServers, type OwnerStatus, readStatus, type ServerStatus } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { renderTable } from "../command/table.ts";
import {
  type DatabasePlace,
  findCommandOwner,
  findReplicaState,
  openExistingStore,
  resolvePlace,
} from "../home/database.ts";
import { findRunning, type RunningServer, withHome } from "../home/running-server.ts";

/** `rungs status`: what is served, how much there is, and who read today. */
export const status: Command = {
  options: {
    "database-replica": {
      type: "string",
      value: "URL",
      about: "also show the lag of this database replica (env RUNGS_DATABASE_REPLICA)",
    },
  },
  async run(call) {
    const server = findRunning(call);
    const at = server === undefined ? call : withHome(call, server.home);
    const place = resolvePlace(at);
    const store = await openExistingStore(at);
    try {
      const owner = { store, owner_id: await findCommandOwner(call, store), now: Date.now };
      const found = await readStatus(owner, startOfToday());
      const { io, flag } = call;
      const replica = await findReplicaState(at);
      const servers = await listServers(owner);
      const document = {
        server: server ?? null,
        database: describeDatabase(place),
        replica,
        servers,
        ...found,
      };
      io.out(
        flag("json") ? JSON.stringify(document) : renderStatus({ server, place, found, replica, servers }),
      );
    } finally {
      await store.close();
    }
    return Exit.done;
  },
};

/** Today begins at midnight where the owner is. */
function startOfToday(): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate());
}

/** The address of a PostgreSQL server may hold a password. SQLite writes new data to a second file first. */
function describeDatabase(place: DatabasePlace): { kind: string; file?: string; size_bytes?: number } {
  if (place.kind === "postgres") return { kind: "postgres" };
  const sizes = [place.file, `${place.file}-wal`].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
  );
  return { kind: "sqlite", file: place.file, size_bytes: sizes.reduce((sum, size) => sum + size) };
}

interface Shown {
  readonly server: RunningServer | undefined;
  readonly place: DatabasePlace;
  readonly found: OwnerStatus;
  readonly replica: Awaited<ReturnType<typeof findReplicaState>>;
  readonly servers: readonly ServerStatus[];
}

function renderServers(servers: readonly ServerStatus[]): string {
  const head = ["SERVER", "STATE", "VERSION", "SINCE", "A MINUTE", "BUSY", "MEMORY", "REPLICA", "LAST ERROR"];
  const rows = servers.map((each) => [
    `${each.host} ${each.address}`,
    each.state === "gone" ? `gone since ${each.seen_at}` : each.state,
    each.version,
    each.started_at,
    String(each.requests_per_minute),
    `${Math.round(each.busy * 100)} %`,
    `${(each.memory_bytes / 1e6).toFixed(0)} MB`,
    each.replica?.state ?? "-",
    each.last_error === undefined ? "-" : `${each.last_error.code} ${each.last_error.at}`,
  ]);
  return renderTable(head, rows);
}

/** How servers use a replica, by its state. */
const replicaWords = {
  used: "takes reads",
  lagging: "is not used: it lags too far behind",
  unreachable: "is not used: it is unreachable",
  promoted: "is not used: it is a primary now",
  foreign: "is not used: it is not a replica of this database; correct --database-replica",
} as const;

function renderStatus({ server, place, found, replica, servers }: Shown): string {
  const { file, size_bytes = 0 } = describeDatabase(place);
  const { connections, records, active_grants, readers } = found;
  const isDemo = server?.token_file !== undefined;
  const lines = [
    server === undefined
      ? servers.length > 0
        ? `Servers   ${servers.filter(({ state }) => state !== "gone").length} of this database`
        : "Server    not running; rungs serve starts it"
      : `Server    ${server.url}${isDemo ? ", the demo" : ""}, since ${server.started_at}`,
    `Database  ${file === undefined ? "PostgreSQL" : `${file}, ${(size_bytes / 1e6).toFixed(1)} MB`}`,
    ...(replica === undefined
      ? []
      : [
          `Replica   ${replicaWords[replica.state]}${replica.lag_ms === undefined ? "" : ` (${(replica.lag_ms / 1000).toFixed(1)} s behind)`}`,
        ]),
    `Data      ${records} records in ${connections} connections`,
    `Grants    ${active_grants} active`,
  ];
  if (servers.length > 0) lines.push("", renderServers(servers), "");
  if (readers.length === 0) return [...lines, "Today     no reads"].join("\n");
  const rows = readers.map((each) => [
    foldToLine(each.client_id),
    ...[each.reads, each.records, each.bytes].map(String),
  ]);
  return [...lines, "", renderTable(["READ TODAY BY", "READS", "RECORDS", "BYTES"], rows)].join("\n");
}
