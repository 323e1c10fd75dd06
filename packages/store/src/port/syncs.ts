/** Types of syncs: sources that are read again and again. */
import type { RecordEnvelope } from "@rungs/contract";
import type { IngestOutcome } from "./records.ts";

/** When a sync runs by itself: every so many minutes, or by a cron pattern. */
export type SyncSchedule =
  | { readonly kind: "every"; readonly minutes: number }
  | { readonly kind: "cron"; readonly pattern: string };

/** A sync as the owner sets it up. */
export interface SyncInput {
  readonly sync_id: string;
  /** Where its records go. */
  readonly connection_id: string;
  /** The kind of source, such as `imap`. */
  readonly kind: string;
  /** The settings of its source. They hold no secret. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly schedule: SyncSchedule;
  /** Whether records stay when the source deletes them. */
  readonly keeps_deleted: boolean;
  /** The secret of the source, sealed. */
  readonly secret?: string | undefined;
}

/** A stored sync. */
export interface StoredSync extends SyncInput {
  readonly is_paused: boolean;
  /** When its next run is due. */
  readonly due_ms: number;
  /** How many runs failed since the last good one. */
  readonly failure_count: number;
  /** The process that reads it, until the lease ends. */
  readonly lease?: { readonly holder: string; readonly until_ms: number } | undefined;
  readonly created_at: string;
}

/** The changeable members of a sync. */
export type SyncChange = Partial<
  Pick<
    StoredSync,
    "settings" | "schedule" | "keeps_deleted" | "secret" | "is_paused" | "due_ms" | "failure_count"
  >
>;

/** The right of one process to write for a sync. */
export interface SyncLease {
  readonly sync_id: string;
  /** Names the process, and differs for every run. */
  readonly holder: string;
  /** A holder that is known to be gone: its lease does not count. */
  readonly gone?: string | undefined;
}

/** The progress in a collection of a source, such as a folder. */
export interface SyncCursor {
  readonly collection: string;
  /** Any JSON; only the source reads it. */
  readonly cursor: unknown;
}

/** A place in a collection of a source. */
export interface SyncItemPlace {
  readonly collection: string;
  /** The source's id of the item, unique in the collection. */
  readonly item: string;
}

/** An item of a source and the records that it became. */
export interface SyncItem extends SyncItemPlace {
  readonly stream: string;
  /** Empty when the item could not be read. */
  readonly record_id: string;
  /** Records that belong to it, such as attachments: stream and id. */
  readonly others: readonly (readonly [stream: string, record_id: string])[];
  /** What may change without the content, such as flags. */
  readonly state: unknown;
}

/** Items of a collection: a page after an item, or those with these ids. */
export type SyncItemQuery = { readonly collection: string } & (
  | { readonly after: string; readonly limit: number }
  | { readonly items: readonly string[] }
);

/** One transaction of a sync. */
export interface SyncBatch {
  readonly connection_id: string;
  readonly records: readonly RecordEnvelope[];
  /** Items to add or replace. */
  readonly items: readonly SyncItem[];
  readonly removed: readonly SyncItemPlace[];
  /** Cursors to move once everything before is stored; null forgets a collection. */
  readonly cursors: readonly SyncCursor[];
}

/** One run of a sync, as it is logged. */
export interface SyncRunRow {
  readonly sync_id: string;
  readonly started_ms: number;
  readonly body: unknown;
}

/** Sources that are read again and again. */
export interface SyncStore {
  /** Adds a sync; false when its id is taken. */
  addSync(owner_id: string, sync: SyncInput): Promise<boolean>;
  listSyncs(owner_id: string): Promise<StoredSync[]>;
  /** False when there is none. */
  changeSync(owner_id: string, sync_id: string, change: SyncChange): Promise<boolean>;
  /** Forgets a sync with its cursors, items and runs; its records stay. False when there is none. */
  deleteSync(owner_id: string, sync_id: string): Promise<boolean>;
  /** Takes or renews the lease of a sync until a time: one process at a time writes for it. False while another holds it. */
  leaseSync(owner_id: string, lease: SyncLease, until_ms: number): Promise<boolean>;
  releaseSync(owner_id: string, lease: SyncLease): Promise<void>;
  /** Writes records, items and cursors in one transaction. Throws `sync_busy`, and writes nothing, when the lease is lost. */
  writeSync(owner_id: string, lease: SyncLease, batch: SyncBatch): Promise<IngestOutcome[]>;
  listSyncCursors(owner_id: string, sync_id: string): Promise<SyncCursor[]>;
  /** Some items of a collection, in order. */
  listSyncItems(owner_id: string, sync_id: string, query: SyncItemQuery): Promise<SyncItem[]>;
  /** How many items of a collection come before an item. */
  countSyncItems(owner_id: string, sync_id: string, collection: string, before: string): Promise<number>;
  /** The items that records come from. */
  findSyncItems(owner_id: string, sync_id: string, record_ids: readonly string[]): Promise<SyncItem[]>;
  /** Stores a run, replacing the one with the same start; only the newest 500 of a sync are kept. */
  putSyncRun(owner_id: string, run: SyncRunRow): Promise<void>;
  /** The newest runs first. */
  listSyncRuns(owner_id: string, sync_id: string, limit: number): Promise<SyncRunRow[]>;
}
