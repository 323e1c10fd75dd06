/** Types for opening, measuring and copying a store. */
import type { Embedder } from "../vectors/embedder.ts";
import type { StreamSize } from "./records.ts";

export type { Embedder } from "../vectors/embedder.ts";

/** Options for opening a store on either engine. */
export interface StoreOptions extends WorkHooks {
  /** The clock; tests pin it. */
  readonly now?: (() => Date) | undefined;
  /** How long SQLite waits for another process that is writing; 30 seconds by default. */
  readonly busy_ms?: number | undefined;
  /** The 32 bytes that encrypt the database. They stay in memory: no file, log or argument has them. */
  readonly key?: Uint8Array | undefined;
  /** Opens the envelope of a PostgreSQL database whose long rows are sealed: the data keys, the newest last (`postgres/sealing.ts`). */
  readonly openEnvelope?: ((envelope: string) => Promise<readonly Uint8Array[]>) | undefined;
  /** The PostgreSQL role that the server works under; by default one that it creates (`postgres/server-role.ts`). */
  readonly database_role?: string | undefined;
  /** For `Store.seal_state`. */
  readonly seal_state?: SealState | undefined;
  /** The address of a replica of the PostgreSQL database, for reads in threads. */
  readonly database_replica?: string | undefined;
  /** Receives slow statements. */
  readonly slow_queries?: SlowQueryLog | undefined;
  /** How many records a search ranks with their neighbours (the rank window); 100 by default. */
  readonly rank_window?: number | undefined;
  /** Makes the vectors of passages; null for none; by default, the built-in embedder of English words. */
  readonly embedder?: Embedder | null | undefined;
  /** The most records in scope for which a search compares all passages; 200,000 by default. */
  readonly similar_scan?: number | undefined;
  /** The most terms in the expansion of a prefix or a word; 1,024 by default. */
  readonly expansion?: number | undefined;
  /** What one read may do at most (R56); the defaults are in `work-budget.ts`. */
  readonly work_limits?: Partial<WorkLimits> | undefined;
  /** How many threads read for clients, besides one for the owner; by default, all reads run in this thread. */
  readonly workers?: number | undefined;
  /** How much thread time per second a lane may use before its reads yield to others'; 250 ms by default. */
  readonly share_ms?: number | undefined;
  /** How long a thread may take to notice that its read is cancelled, before it is replaced; one second by default. */
  readonly grace_ms?: number | undefined;
  /** Switches parts of ranking off, to measure what each is worth. */
  readonly ranking?: Partial<RankingParts> | undefined;
}

/** Whether the long rows of PostgreSQL are sealed; while they are sealed or opened one by one, some are plain. */
export type SealState = "sealing" | "sealed" | "opening";

/** The threshold of slow statements, and their receiver. */
export interface SlowQueryLog {
  readonly from_ms: number;
  readonly report: (query: SlowQuery) => void;
}

/** A statement that was slow, without any value of its parameters. */
export interface SlowQuery {
  readonly engine: "sqlite" | "postgres";
  readonly statement: string;
  /** As the program saw it; its own event loop may have been busy meanwhile. */
  readonly duration_ms: number;
  /** Rows that it returned or changed. */
  readonly rows: number;
  /** Empty if it could not be read, or while another plan is being read. */
  readonly plan: readonly string[];
}

/** The parts of ranking, all on by default. */
export interface RankingParts {
  /** A word that is frequent in English counts less. */
  readonly word_frequency: boolean;
  /** Inflected forms of a word match it. */
  readonly forms: boolean;
  /** A word that no record has is widened to near spellings. */
  readonly near_spellings: boolean;
  /** A word that names a record's author lifts the record. */
  readonly author: boolean;
  /** Records before and after in a thread lend score. */
  readonly neighbours: boolean;
  /** Passages that are similar in meaning count too. */
  readonly meaning: boolean;
}

/** A column's value, in a form that does not depend on the engine. */
export type Cell = string | number | null | Uint8Array;

/** Rows of a table with a cell per column; chunks of text are plain UTF-8, whatever the engine stores. */
export interface TablePage {
  readonly table: string;
  readonly rows: readonly (readonly Cell[])[];
}

/** The row count and digest of a table; tables without rows are left out. */
export interface TableDigest {
  readonly table: string;
  readonly row_count: number;
  readonly sha256: string;
}

/** Progress of a load: rows of a table that were copied, or read back for the check. */
export interface LoadStep {
  readonly phase: "copy" | "check";
  readonly table: string;
  readonly row_count: number;
}

/** Records of one stream that were deleted. */
export interface DeletedRecords {
  readonly connection_id: string;
  readonly stream: string;
  readonly record_ids: readonly string[];
}

/** What was read from the database since the store was opened. */
export interface Traffic {
  statements: number;
  rows: number;
  bytes: number;
}

/** Reads whose callers disconnected: dropped before they began, or cancelled while they ran. */
export interface AbandonedReads {
  dropped: number;
  cancelled: number;
}

/** A replica, and the reads under a scope that it took off the primary. */
export interface ReplicaStatus {
  /** `used`, or why not; `promoted`: it is a primary itself; `foreign`: it is not a copy of the database. */
  state: "used" | "lagging" | "unreachable" | "promoted" | "foreign";
  /** The replica's lag; undefined while unknown. */
  lag_ms: number | undefined;
  /** Reads that it answered. */
  reads: number;
  /** Reads that it could not answer in time, so that the primary did. */
  sent_on: number;
}

/** What a step of upkeep did, such as copying masked records; `complete`: nothing is left to do. */
export type CopyStep =
  | { readonly state: "complete" }
  | { readonly state: "progress"; readonly record_count: number };

/** Settings, upkeep, copies and backups. */
export interface UpkeepStore {
  /** How many bytes the streams of a connection have, for the owner to see; the text of a large one is measured by a sample. */
  measureStreams(owner_id: string, connection_id: string): Promise<StreamSize[]>;
  /** A secret of the program, such as the one that seals cursors; created on first use. */
  getSecret(name: string, create: () => string): Promise<string>;
  /**
   * Compacts index segments, deletes unfinished blobs and refreshes planner statistics, after a large import. Does not
   * block reads.
   */
  tidy(owner_id: string): Promise<void>;
  /** Rewrites the search index, vectors and other derived rows from the records, which do not change. */
  rebuild(owner_id: string): Promise<void>;
  /** Checks invariants, such as texts without chunks or blobs without bytes; returns the violations. */
  check(owner_id: string): Promise<string[]>;
  /**
   * Reads all tables, or some, in one snapshot, for a copy on another engine: table by table, in key order, a bounded page at a
   * time. Waits for `take` before it reads the next page.
   */
  dump(take: (page: TablePage) => Promise<void>, only?: readonly string[]): Promise<void>;
  /**
   * Copies another store into this empty one (else `database_not_empty`) in one transaction. Commits only when every table
   * reads back as it was sent, and returns the digests.
   */
  load(source: Pick<UpkeepStore, "dump">, watch?: (step: LoadStep) => void): Promise<TableDigest[]>;
  /**
   * For a restored backup: takes tokens, sessions and other state, the audit log and all grants from the database that it replaces;
   * grants that only the backup has are revoked. False, and nothing is changed, when that database is not of the same origin.
   */
  takeAccessOf(source: Pick<UpkeepStore, "dump">): Promise<boolean>;
  /** For a restored backup: revokes every grant, and deletes all tokens, sessions and other state. */
  endAllAccess(): Promise<void>;
  /** For a restored backup: makes clients that follow changes start over. `takeAccessOf` does so too. */
  moveChangesOn(): Promise<void>;
  /** The records that were deleted and have not come back, as far as the change log remembers. */
  listDeleted(owner_id: string): AsyncIterable<DeletedRecords>;
}

/** What one read may do at most. */
export interface WorkLimits {
  /** Postings and positions decoded. */
  readonly postings: number;
  /** Dictionary terms compared. */
  readonly terms: number;
  /** Index blocks of about 4 KiB read. */
  readonly blocks: number;
  /** Rows of other tables read. */
  readonly rows: number;
  readonly milliseconds: number;
}

/** Work that was done, by unit. */
export type SpentWork = Record<Exclude<keyof WorkLimits, "milliseconds">, number>;

/** The hooks of a thread while a read spends its budget. */
export interface WorkHooks {
  /** Whether nobody waits for the answer any more: the read ends with `read_cancelled`. */
  readonly cancelled?: (() => boolean) | undefined;
  /** Waits while the read yields to others; returns how many milliseconds, which do not count. */
  readonly pause?: (() => number) | undefined;
}
