/**
 * Health checks of the primary and the replica every second while a database is served: a server that hangs without
 * closing its connections would block all waiters, and a lagging replica would make each read wait in vain.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ReplicaStatus } from "../store.ts";
import type { ServerKind } from "../workers/messages.ts";
import type { ServerWatch } from "../workers/pooled-store.ts";
import { createPool, ForeignServerError, nameDatabase, type ServerPool } from "./pool.ts";
import type { ServerList } from "./server-list.ts";

const LOOK_MS = 1_000;
/** A healthy server is never silent for longer than this. */
const SILENCE_MS = 3_000;
/**
 * How many consecutive checks the primary must miss before its connections are broken: a busy process sees answers
 * late.
 */
const MISSES = 2;
/** The maximum lag of a replica in use. */
const LAG_MAX_MS = 1_000;

const LOOKS_MAX = 20;

const PRIMARY = "SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0') AS position";
const REPLICA = `SELECT pg_is_in_recovery() AS is_replica,
  pg_wal_lsn_diff(coalesce(pg_last_wal_replay_lsn(), '0/0'), '0/0') AS position`;

interface ReplicaFacts {
  readonly is_replica: boolean;
  readonly position: number;
}

type ReplicaState = Pick<ReplicaStatus, "state" | "lag_ms">;

interface WatchedReplica {
  readonly servers: ServerList;
  /** The database that it must be a copy of. */
  readonly of: string;
}

interface Watched {
  readonly primary: ServerList;
  readonly replica: WatchedReplica | undefined;
  /** The pools whose connections are broken when the primary is silent, besides those that `drop` breaks. */
  readonly pools: readonly ServerPool[];
}

export function watchServers({ primary, replica, pools }: Watched): ServerWatch {
  const closing = new AbortController();
  const status: ReplicaStatus | undefined = replica && {
    state: "unreachable",
    lag_ms: undefined,
    reads: 0,
    sent_on: 0,
  };
  const asked = {
    primary: createPool(primary, { max: 1 }),
    replica: replica && createPool(replica.servers, { max: 1, replica_of: replica.of }),
  };
  const lag = new Lag();
  let looking: Promise<unknown> = Promise.resolve();
  let drop: (server: ServerKind) => void = () => undefined;

  async function watchPrimary(): Promise<void> {
    for (let misses = 0; !closing.signal.aborted; await pause()) {
      try {
        lag.note((await look<{ position: number }>(asked.primary, PRIMARY)).position);
        misses = 0;
      } catch (error) {
        // A server that refuses one more connection is not silent.
        misses = isFull(error) ? 0 : misses + 1;
        if (misses === 0 || misses % MISSES > 0) continue;
        for (const pool of pools) pool.drop();
        drop("primary");
      }
    }
  }

  async function watchReplica(pool: ServerPool, found: ReplicaStatus): Promise<void> {
    for (; !closing.signal.aborted; await pause()) {
      try {
        Object.assign(found, judge(await look<ReplicaFacts>(pool, REPLICA), lag));
        // Of several servers, another one may be a replica by now.
        if (found.state === "promoted" && pool.servers.count > 1) moveOn(pool);
      } catch (error) {
        if (found.lag_ms !== undefined) moveOn(pool);
        Object.assign(found, judgeFailure(error));
      }
    }
  }

  function moveOn(pool: ServerPool): void {
    pool.servers.leave(pool.servers.current);
    pool.drop();
    drop("replica");
  }

  const pause = () =>
    delay(LOOK_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);

  return {
    replica: status,
    start(dropServer) {
      drop = dropServer;
      looking = Promise.all([watchPrimary(), asked.replica && status && watchReplica(asked.replica, status)]);
    },
    async close() {
      closing.abort();
      for (const pool of [asked.primary, asked.replica]) pool?.drop();
      await looking;
      await Promise.all([asked.primary.end(), asked.replica?.end()]);
    },
  };
}

/** The state of this replica as a server would report it now, for `rungs status`. */
export async function readReplicaState(primary_url: string, replica_url: string): Promise<ReplicaState> {
  const primary = createPool(primary_url, { max: 1 });
  let replica: ServerPool | undefined;
  const lag = new Lag();
  try {
    replica = createPool(replica_url, { max: 1, replica_of: await nameDatabase(primary) });
    lag.note((await look<{ position: number }>(primary, PRIMARY)).position);
    for (let looks = 0; ; looks += 1) {
      const found = judge(await look<ReplicaFacts>(replica, REPLICA), lag);
      if (found.lag_ms === 0 || found.state !== "used" || looks === LOOKS_MAX) return found;
      await delay(LOOK_MS / 10);
    }
  } catch (error) {
    return judgeFailure(error);
  } finally {
    await Promise.all([primary.end(), replica?.end()]);
  }
}

function judgeFailure(error: unknown): ReplicaState {
  return { state: error instanceof ForeignServerError ? "foreign" : "unreachable", lag_ms: undefined };
}

function judge({ is_replica, position }: ReplicaFacts, lag: Lag): ReplicaState {
  const lag_ms = lag.measure(position);
  return { state: is_replica ? (lag_ms > LAG_MAX_MS ? "lagging" : "used") : "promoted", lag_ms };
}

/** PostgreSQL's class 53, insufficient resources. */
function isFull(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith("53");
}

/** Runs one query; breaks the connection if the server stays silent. */
async function look<R extends object>(pool: ServerPool, text: string): Promise<R> {
  const client = await pool.connectAny();
  try {
    const question = { text, query_timeout: SILENCE_MS };
    const { rows } = await client.query<R>(question);
    client.release();
    return rows[0] as R;
  } catch (error) {
    client.connection.stream.destroy();
    client.release(true);
    throw error;
  }
}

/** How long ago the primary was where its replica is now. */
export class Lag {
  readonly #now: () => number;
  /** Positions that the replica has not shown yet, the oldest first. */
  #ahead: { readonly at_ms: number; readonly position: number }[] = [];

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Notes where the primary is. */
  note(position: number): void {
    const last = this.#ahead.at(-1);
    // After a failover, the successor may lack some of its predecessor's WAL.
    if (last && position < last.position) this.#ahead = [];
    if (!last || position !== last.position) this.#ahead.push({ at_ms: this.#now(), position });
  }

  /** The lag of a replica that is at `position`, in milliseconds. */
  measure(position: number): number {
    this.#ahead = this.#ahead.filter((each) => each.position > position);
    const [oldest] = this.#ahead;
    return oldest ? Math.round(this.#now() - oldest.at_ms) : 0;
  }
}
