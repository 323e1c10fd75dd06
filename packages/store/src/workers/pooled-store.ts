/** A store whose reads under a scope run in worker threads; everything else stays in this thread. */
import type { ReadScope } from "@rungs/contract";
import type { Caller, ReplicaStatus, Store, StoreOptions } from "../store.ts";
import { staticEmbedder } from "../vectors/word-vectors.ts";
import { defaultLimits } from "../work-budget.ts";
import { LaneUse } from "./lane-use.ts";
import { LightReads } from "./light-reads.ts";
import type { ServerKind, WorkerStart } from "./messages.ts";
import { ReadPool, type Seen } from "./read-pool.ts";
import { routeReads, type ScopedReads } from "./scoped-reads.ts";

const GRACE_MS = 1_000;
/** A quarter of one thread. */
const SHARE_MS = 250;
/** How much of a blob a thread reads at a time. */
const PIECE_BYTES = 1 << 20;

/** An owner's own reads have one thread at a time, and owners take turns; of most stores, only one is ever started. */
const OWNER_THREADS = 2;

/** Watches the servers of a database while it is served. */
export interface ServerWatch {
  readonly replica: ReplicaStatus | undefined;
  /** Calls `drop` when a server no longer answers. */
  start(drop: (server: ServerKind) => void): void;
  close(): Promise<void>;
}

/** Adds `options.workers` threads for clients, and others for owners, who never wait for a client. Threads start when they are needed. */
export function poolReads(
  store: Store,
  place: Pick<WorkerStart, "engine" | "address" | "replica" | "role" | "seal">,
  options: StoreOptions,
  watch?: ServerWatch,
): Store {
  const { workers = 0, grace_ms = GRACE_MS, share_ms = SHARE_MS, embedder = staticEmbedder } = options;
  if (workers === 0) return store;
  const { busy_ms, key, rank_window, similar_scan, expansion, ranking, work_limits } = options;
  const shared = {
    start: {
      ...place,
      options: { busy_ms, key, rank_window, similar_scan, expansion, ranking, work_limits },
      slow_ms: options.slow_queries?.from_ms,
    },
    slow_queries: options.slow_queries,
    embedder,
    traffic: store.traffic,
    work: store.work,
    abandoned: store.abandoned,
    given_way: store.given_way,
    replica: watch?.replica,
    light_reads: new LightReads(2 * (workers + OWNER_THREADS)),
    read_ms: work_limits?.milliseconds ?? defaultLimits.milliseconds,
    grace_ms,
  };
  const clients = new ReadPool({ ...shared, size: workers, use: new LaneUse(share_ms) });
  const owners = new ReadPool({ ...shared, size: OWNER_THREADS, use: undefined });
  watch?.start((server) => {
    for (const pool of [clients, owners]) pool.drop(server);
  });
  return {
    ...store,
    replica: watch?.replica,
    ...createPooledReads(owners, {}),
    forCaller: (caller) => ({
      ...store,
      ...createPooledReads(caller.lane === undefined ? owners : clients, caller),
    }),
    async close() {
      await Promise.all([clients.close(), owners.close(), watch?.close()]);
      await store.close();
    },
  };
}

function createPooledReads(pool: ReadPool, caller: Partial<Caller>): ScopedReads {
  const { signal } = caller;
  const seen: Seen = { caller, isNewest: false };
  const readingOf = ({ owner_id }: ReadScope) => ({ lane: caller.lane ?? owner_id, signal, seen });
  return {
    ...routeReads((name, args) => pool.read(name, args, readingOf(args[0] as ReadScope))),
    async *readBlob(scope, blob_id, { start, end }) {
      for (let at = start; at < end; ) {
        const args = [scope, blob_id, { start: at, end: Math.min(end, at + PIECE_BYTES) }];
        const piece = (await pool.read("readBlob", args, readingOf(scope))) as Uint8Array;
        if (piece.length === 0) return;
        yield piece;
        at += piece.length;
      }
    },
  };
}
