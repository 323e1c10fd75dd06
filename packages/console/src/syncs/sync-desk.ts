import type { SyncRequest, SyncRun, SyncSummary } from "@rungs/sources";

/** What the owner does with syncs; the program that composes the server provides it. */
export interface SyncDesk {
  list(): Promise<readonly SyncSummary[]>;
  /** The last runs of a sync, newest first. */
  listRuns(sync_id: string): Promise<readonly SyncRun[]>;
  /** Adds a source after looking at it once; returns the id of its sync. */
  add(request: SyncRequest): Promise<string>;
  run(sync_id: string): Promise<void>;
  pause(sync_id: string, is_paused: boolean): Promise<void>;
  /** Forgets the sync and its password; the records stay. */
  remove(sync_id: string): Promise<void>;
}
