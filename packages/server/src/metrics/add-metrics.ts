import { statfs } from "node:fs/promises";
import { ApiError } from "@rungs/contract";
import type { Store } from "@rungs/store";
import type { Hono } from "hono";
import { digestToken, requireAccess, requireCredential } from "../access/tokens.ts";
import type { ServerEnv } from "../middleware/pipeline.ts";
import type { OwnerContext } from "../owner/owner-context.ts";
import { readTotals } from "../owner/status.ts";
import { PROGRAM_VERSION } from "../settings/version.ts";
import type { Meter, RequestCounts } from "./meter.ts";
import { listServers, type ServerStatus } from "./servers.ts";

/** What the metrics are about. */
interface MetricsOptions extends OwnerContext {
  readonly meter: Meter;
  /** The audience of tokens. */
  readonly audience: string;
  /** A folder on the disk of the data. */
  readonly home?: string | undefined;
  /** When the last backup of a schedule was made, in milliseconds; undefined without a schedule, 0 without a backup. */
  readonly findLastBackup?: (() => number) | undefined;
}

/**
 * Adds `GET /metrics` for Prometheus, under the owner's token even on loopback: agents run on this machine too, and must not
 * learn how much there is outside their grant.
 */
export function addMetrics(app: Hono<ServerEnv>, options: MetricsOptions): void {
  const { store, now, audience } = options;
  app.get("/metrics", async (context) => {
    context.get("trace").operation = "metrics";
    const credential = requireCredential(context.req.header("Authorization"));
    // Owner tokens are bound to no key.
    if (credential.isProven) throw new ApiError("invalid_token");
    const { token } = await requireAccess({ digest: digestToken(credential.token) }, store, now(), audience);
    if (token.kind !== "owner") throw new ApiError("owner_token_required");
    const { owner_id } = token;
    // Requests are counted for all owners together.
    if (!(await store.getAccount(owner_id)).is_admin) throw new ApiError("administrator_required");
    return context.body(renderMetrics(await gatherMetrics({ ...options, owner_id })), 200, {
      "Content-Type": METRICS_TYPE,
    });
  });
}

async function gatherMetrics({ meter, home, findLastBackup, ...owner }: MetricsOptions): Promise<Metric[]> {
  const { connections, records, active_grants } = await readTotals(owner);
  const syncs = (await owner.store.listSyncs(owner.owner_id)).filter(({ is_paused }) => !is_paused);
  // With PostgreSQL there may be no home.
  const free = home === undefined ? undefined : await statfs(home).catch(() => undefined);
  const counts = meter.list();
  const count = (pick: (each: RequestCounts) => number) =>
    counts.map((each) => ({
      labels: { operation: each.operation, status: String(each.status) },
      value: pick(each),
    }));
  return [
    {
      name: "rungs_info",
      type: "gauge",
      help: "The version of the program.",
      samples: [{ labels: { version: PROGRAM_VERSION }, value: 1 }],
    },
    one("rungs_connections", "Connections of the owner.", connections),
    one("rungs_records", "Records of the owner.", records),
    one("rungs_active_grants", "Grants that give access now.", active_grants),
    one("rungs_syncs", "Sources that are synced and not paused.", syncs.length),
    one(
      "rungs_syncs_failing",
      "Such sources whose last run failed.",
      syncs.filter(({ failure_count }) => failure_count > 0).length,
    ),
    ...(free === undefined
      ? []
      : [one("rungs_disk_free_bytes", "Free space on the disk of the home.", free.bavail * free.bsize)]),
    ...(findLastBackup === undefined
      ? []
      : [
          one(
            "rungs_last_backup_time_seconds",
            "When the last backup of the schedule was made.",
            findLastBackup() / 1000,
          ),
        ]),
    ...listReplicaMetrics(owner.store),
    ...listServerMetrics(await listServers(owner)),
    {
      name: "rungs_requests_total",
      type: "counter",
      help: "Requests that were answered.",
      samples: count(({ requests }) => requests),
    },
    {
      name: "rungs_request_seconds_total",
      type: "counter",
      help: "Time that answering took.",
      samples: count(({ seconds }) => seconds),
    },
    {
      name: "rungs_response_bytes_total",
      type: "counter",
      help: "Bytes of answers.",
      samples: count(({ bytes }) => bytes),
    },
    one("process_resident_memory_bytes", "Memory of the process.", process.memoryUsage.rss()),
    one("process_start_time_seconds", "When the process started.", performance.timeOrigin / 1000),
  ];
}

function listReplicaMetrics({ replica }: Store): Metric[] {
  if (!replica) return [];
  const { state, lag_ms, reads, sent_on } = replica;
  return [
    one(
      "rungs_replica_used",
      "1 while the replica is read from, 0 while it is left out.",
      Number(state === "used"),
    ),
    ...(lag_ms === undefined
      ? []
      : [one("rungs_replica_lag_seconds", "How far the replica is behind the primary.", lag_ms / 1000)]),
    {
      name: "rungs_replica_reads_total",
      type: "counter",
      help: "Reads that were sent to the replica, by the server that answered: the primary does when the replica is behind or gone.",
      samples: [
        { labels: { server: "replica" }, value: reads },
        { labels: { server: "primary" }, value: sent_on },
      ],
    },
  ];
}

function listServerMetrics(servers: readonly ServerStatus[]): Metric[] {
  const count = (state: ServerStatus["state"]) => ({
    labels: { state },
    value: servers.filter((each) => each.state === state).length,
  });
  return [
    {
      name: "rungs_servers",
      type: "gauge",
      help: "Servers of the database. One is gone when it stopped without a word within the last hour.",
      samples: [count("ready"), count("draining"), count("gone")],
    },
  ];
}

function one(name: string, help: string, value: number): Metric {
  return { name, type: "gauge", help, samples: [{ value }] };
}

/** The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */

/** A metric and its samples. */
interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge";
  readonly help: string;
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Renders metrics. */
function renderMetrics(metrics: readonly Metric[]): string {
  return metrics.map(renderMetric).join("");
}

function renderMetric({ name, type, help, samples }: Metric): string {
  const lines = samples.map(({ labels = {}, value }) => `${name}${renderLabels(labels)} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
