/** A store whose reads under a scope run in worker threads; everything else stays in this thread. */
import type { Caller, Store, StoreOptions } from "../store.ts";
import { staticEmbedder } from "../vectors/static-embedder.ts";
import { defaultLimits } from "../work-budget.ts";
import type { WorkerStart } from "./messages.ts";
import { ReadPool } from "./read-pool.ts";
import { routeReads, type ScopedReads } from "./scoped-reads.ts";

const GRACE_MS = 1_000;
/** How much of a blob a thread reads at a time. */
const PIECE_BYTES = 1 << 20;

/** Adds `options.workers` threads for clients, and one for the owner, who never waits for a client. Threads start when they are needed. */
export function poolReads(
  store: Store,
  place: Pick<WorkerStart, "engine" | "address">,
  options: StoreOptions,
): Store {
  const { workers = 0, grace_ms = GRACE_MS, embedder = staticEmbedder } = options;
  if (workers === 0) return store;
  const { busy_ms, rank_window, similar_scan, expansion, ranking, work_limits } = options;
  const shared = {
    start: { ...place, options: { busy_ms, rank_window, similar_scan, expansion, ranking, work_limits } },
    embedder,
    traffic: store.traffic,
    work: store.work,
    abandoned: store.abandoned,
    // The budget counts from the moment when the read begins in its thread.
    read_ms: (work_limits?.milliseconds ?? defaultLimits.milliseconds) + grace_ms,
    grace_ms,
  };
  const clients = new ReadPool({ ...shared, size: workers, lane_size: 1 });
  const owner = new ReadPool({ ...shared, size: 1, lane_size: 1 });
  return {
    ...store,
    ...createPooledReads(owner, {}),
    forCaller: (caller) => ({
      ...store,
      ...createPooledReads(caller.lane === undefined ? owner : clients, caller),
    }),
    async close() {
      await Promise.all([clients.close(), owner.close()]);
      await store.close();
    },
  };
}

function createPooledReads(pool: ReadPool, caller: Partial<Caller>): ScopedReads {
  return {
    ...routeReads((name, args) => pool.read({ kind: "read", name, args }, caller)),
    async *readBlob(scope, blob_id, { start, end }) {
      for (let at = start; at < end; ) {
        const args = [scope, blob_id, { start: at, end: Math.min(end, at + PIECE_BYTES) }];
        const piece = (await pool.read({ kind: "read", name: "readBlob", args }, caller)) as Uint8Array;
        if (piece.length === 0) return;
        yield piece;
        at += piece.length;
      }
    },
  };
}
