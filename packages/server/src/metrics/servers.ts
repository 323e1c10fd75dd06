/** The servers of one database: each records its state every few seconds, so that any of them, and `rungs status`, can list all. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReplicaStatus } from "@rungs/store";
import { asProgram, type OwnerContext } from "../owner/owner-context.ts";
import { PROGRAM_VERSION } from "../settings/version.ts";
import type { Meter } from "./meter.ts";

const KIND = "server";
const NOTE_MS = 15_000;
/** A server is gone after three missed heartbeats. */
const GONE_MS = 3 * NOTE_MS;
/** How long a server that died stays listed. */
const LISTED_MS = 3_600_000;

/** What a server records about itself: nothing from requests. */
interface ServerNote {
  readonly host: string;
  readonly address: string;
  readonly version: string;
  readonly started_at: string;
  readonly seen_at: string;
  readonly state: "ready" | "draining";
  readonly requests_per_minute: number;
  /** The utilization of its event loop since the last heartbeat. */
  readonly busy: number;
  readonly memory_bytes: number;
  readonly replica?: Pick<ReplicaStatus, "state"> & { readonly lag_ms?: number };
  /** The last failure of the server itself (a status from 500). */
  readonly last_error?: { readonly code: string; readonly at: string };
}

/** A server of the database; `gone`: its heartbeats ended without a shutdown. */
export interface ServerStatus extends Omit<ServerNote, "state"> {
  readonly server_id: string;
  readonly state: "ready" | "draining" | "gone";
}

/** The server that records itself. */
export interface NotedServer {
  readonly address: string;
  readonly meter: Meter;
  /** Aborts when it drains. */
  readonly draining: AbortSignal;
}

/**
 * Records a server until the signal aborts, then removes the record: one that remains belongs to a server that was
 * killed.
 */
export async function sendHeartbeats(
  context: OwnerContext,
  server: NotedServer,
  signal: AbortSignal,
): Promise<void> {
  const { store, owner_id, now } = asProgram(context);
  const id = randomBytes(8).toString("hex");
  const started_at = new Date(now()).toISOString();
  let [requests, noted_ms, use] = [0, now(), performance.eventLoopUtilization()];

  const note = async () => {
    const [counted, at_ms, used] = [countRequests(server.meter), now(), performance.eventLoopUtilization()];
    const minutes = Math.max(1, at_ms - noted_ms) / 60_000;
    const { replica } = store;
    const value: ServerNote = {
      host: hostname(),
      address: server.address,
      version: PROGRAM_VERSION,
      started_at,
      seen_at: new Date(at_ms).toISOString(),
      state: server.draining.aborted ? "draining" : "ready",
      requests_per_minute: Math.round((counted - requests) / minutes),
      busy: Math.round(100 * performance.eventLoopUtilization(used, use).utilization) / 100,
      memory_bytes: process.memoryUsage.rss(),
      ...(replica && {
        replica: {
          state: replica.state,
          ...(replica.lag_ms === undefined ? {} : { lag_ms: replica.lag_ms }),
        },
      }),
      ...(server.meter.last_failure && { last_error: server.meter.last_failure }),
    };
    [requests, noted_ms, use] = [counted, at_ms, used];
    await store.putState(owner_id, { kind: KIND, id, value, expires_at_ms: at_ms + LISTED_MS });
  };

  const until = AbortSignal.any([signal, server.draining]);
  while (!signal.aborted) {
    // While the database is unreachable, there is nowhere to record it.
    await note().catch(() => undefined);
    await sleep(NOTE_MS, undefined, { signal: server.draining.aborted ? signal : until, ref: false }).catch(
      () => undefined,
    );
  }
  await store.deleteState(owner_id, KIND, id).catch(() => undefined);
}

/** Lists the servers of a database, the oldest first; none where they do not share it. */
export async function listServers(context: OwnerContext): Promise<ServerStatus[]> {
  const { store, owner_id, now } = asProgram(context);
  const rows = await store.listState(owner_id, KIND);
  return rows
    .map(({ id, value }) => {
      const found = value as ServerNote;
      const is_gone = now() - Date.parse(found.seen_at) > GONE_MS;
      return { ...found, server_id: id, state: is_gone ? ("gone" as const) : found.state };
    })
    .sort((a, b) => a.started_at.localeCompare(b.started_at));
}

function countRequests(meter: Meter): number {
  return meter.list().reduce((sum, { requests }) => sum + requests, 0);
}
