/** Runs syncs when they are due, until it is stopped. Several processes may do so at once: a lease lets one run each sync. */
import { setTimeout as delay } from "node:timers/promises";
import type { StoredSync } from "@rungs/store";
import { requireSource } from "../live-sources.ts";
import { findWorkFolder, runSync, type SyncContext } from "./run-sync.ts";
import type { SyncRun } from "./sync-run.ts";

const LOOK_MS = 1_000;
/** How many syncs run at a time: one slow server must not hold up the others. */
const RUNS_MAX = 4;
/** How long to wait before listening to a source again that broke off. */
const LISTEN_PAUSE_MS = 60_000;

/** Runs due syncs until `signal` aborts, and listens to sources that report changes. */
export async function keepSyncing(
  context: SyncContext,
  signal: AbortSignal,
  onRun: (run: SyncRun) => void = () => undefined,
): Promise<void> {
  const running = new Map<string, Promise<void>>();
  const listening = new Map<string, AbortController>();
  while (!signal.aborted) {
    const syncs = await context.store.listSyncs(context.owner_id).catch(() => []);
    for (const sync of syncs) {
      const { sync_id } = sync;
      if (isDue(sync, context.now()) && !running.has(sync_id) && running.size < RUNS_MAX)
        running.set(
          sync_id,
          runSync(context, sync_id, { signal })
            .then(onRun)
            // Another process runs it, or the database is busy: the next look tries again.
            .catch(() => undefined)
            .finally(() => running.delete(sync_id)),
        );
    }
    listenTo(context, syncs, listening);
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  for (const each of listening.values()) each.abort();
  await Promise.all(running.values());
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
    void listen(context, sync, end.signal);
  }
}

async function listen(context: SyncContext, sync: StoredSync, signal: AbortSignal): Promise<void> {
  const { sync_id, settings } = sync;
  const source = requireSource(sync.kind);
  while (!signal.aborted) {
    try {
      const secret = sync.secret && (await context.secrets.open(sync.secret, sync_id));
      const work_folder = findWorkFolder(context, sync_id);
      await source.wait?.({ settings, secret, work_folder }, signal);
      if (!signal.aborted)
        await context.store.changeSync(context.owner_id, sync_id, { due_ms: context.now() });
    } catch {
      // The schedule still runs the sync, and its log says what is wrong.
      await delay(LISTEN_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
