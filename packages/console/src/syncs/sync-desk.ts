import type { SyncRequest, SyncRun, SyncSummary } from "@rungs/sources";

/** The owner's sync actions, provided by the program that composes the server. */
export interface SyncDesk {
  list(): Promise<readonly SyncSummary[]>;
  /** The last runs of a sync, newest first. */
  listRuns(sync_id: string): Promise<readonly SyncRun[]>;
  /** Adds a source after a trial read; returns the id of its sync. */
  add(request: SyncRequest): Promise<string>;
  run(sync_id: string): Promise<void>;
  pause(sync_id: string, is_paused: boolean): Promise<void>;
  /** Forgets the sync and its password; the records stay. */
  remove(sync_id: string): Promise<void>;
}
