/** Runs syncs when they are due, until it is stopped. Several processes may do so at once: a lease lets one run each sync. */
import { setTimeout as delay } from "node:timers/promises";
import type { Store, StoredSync } from "@rungs/store";
import { requireSource } from "../live-sources.ts";
import { openAccess, requireSync, runSync, type SyncContext } from "./run-sync.ts";
import type { SyncRun } from "./sync-run.ts";

const LOOK_MS = 1_000;
/** How many syncs of an owner run at a time, and of all: one slow server, or one owner, must not hold up the others. */
const RUNS = { owner: 4, all: 12 };
/** The pause before listening again to a source that disconnected. */
const LISTEN_PAUSE_MS = 60_000;

/** Lists the owners with syncs, and opens what each needs. */
export interface SyncingOwners {
  readonly store: Pick<Store, "listSyncingOwners">;
  contextOf(owner_id: string): SyncContext;
}

/** Runs the due syncs of all owners until `signal` aborts, and listens to sources that report changes. */
export async function keepSyncing(
  { store, contextOf }: SyncingOwners,
  signal: AbortSignal,
  onRun: (run: SyncRun) => void = () => undefined,
): Promise<void> {
  const owners = new Map<string, SyncingOwner>();
  const countRuns = () => [...owners.values()].reduce((sum, { running }) => sum + running.size, 0);
  while (!signal.aborted) {
    const syncing = await store.listSyncingOwners().catch(() => [...owners.keys()]);
    for (const owner_id of syncing)
      if (!owners.has(owner_id))
        owners.set(owner_id, { context: contextOf(owner_id), running: new Map(), listening: new Map() });
    for (const [owner_id, owner] of owners) {
      const syncs = await owner.context.store.listSyncs(owner_id).catch(() => []);
      for (const sync of syncs) {
        const { context, running } = owner;
        const { sync_id } = sync;
        const hasTurn = running.size < RUNS.owner && countRuns() < RUNS.all;
        if (isDue(sync, context.now()) && !running.has(sync_id) && hasTurn)
          running.set(
            sync_id,
            runSync(context, sync_id, { signal })
              .then(onRun)
              // Another process runs it, or the database is busy: the next round retries.
              .catch(() => undefined)
              .finally(() => running.delete(sync_id)),
          );
      }
      listenTo(owner.context, syncs, owner.listening);
      if (!syncing.includes(owner_id) && owner.running.size === 0) owners.delete(owner_id);
    }
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  for (const { listening } of owners.values()) for (const each of listening.values()) each.abort();
  await Promise.all([...owners.values()].flatMap(({ running }) => [...running.values()]));
}

interface SyncingOwner {
  readonly context: SyncContext;
  readonly running: Map<string, Promise<void>>;
  readonly listening: Map<string, AbortController>;
}

function isDue({ is_paused, due_ms }: StoredSync, now_ms: number): boolean {
  return !is_paused && due_ms <= now_ms;
}

/** Starts to listen to the sources of active syncs, and stops with those that are paused, removed or failing. */
function listenTo(
  context: SyncContext,
  syncs: readonly StoredSync[],
  listening: Map<string, AbortController>,
): void {
  const active = new Map(
    syncs
      .filter((sync) => !sync.is_paused && sync.failure_count === 0 && sync.due_ms > 0)
      .map((sync) => [sync.sync_id, sync]),
  );
  for (const [sync_id, end] of listening) {
    if (active.has(sync_id)) continue;
    end.abort();
    listening.delete(sync_id);
  }
  for (const [sync_id, sync] of active) {
    if (listening.has(sync_id) || !requireSource(sync.kind).wait) continue;
    const end = new AbortController();
    listening.set(sync_id, end);
    void listen(context, sync.sync_id, end.signal);
  }
}

async function listen(context: SyncContext, sync_id: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      // Its secret may have been renewed since the last time.
      const sync = await requireSync(context, sync_id);
      await requireSource(sync.kind).wait?.(await openAccess(context, sync), signal);
      if (!signal.aborted)
        await context.store.changeSync(context.owner_id, sync_id, { due_ms: context.now() });
    } catch {
      // The schedule still runs the sync, and its log says what is wrong.
      await delay(LISTEN_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
