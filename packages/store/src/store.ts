/**
 * The port: everything Rungs stores, and every way to read and write it. `create-store.ts` implements it once over `Database`
 * (`database.ts`), which SQLite and PostgreSQL implement. A third engine implements `Database` and passes the same suite (`suite/`).
 *
 * Rules that every implementation keeps:
 * - Reads take a `ReadScope` first, and the scope is part of the statement (R51). Records outside a scope are not
 *   found, not counted, and change no score, order or total (R17).
 * - Reads return bounded slices. No call reads more than the chunks around what it returns (R25).
 * - A write is one transaction: all or nothing.
 * - Expected errors are `ApiError`s with a code of the contract's registry.
 */
import type { Exclusion, Grant, GrantBudget, Manifest, ReadScope, RecordEnvelope } from "@rungs/contract";
import type { Query } from "@rungs/evidence";
import type {
  Access,
  AuditCheck,
  AuditDay,
  AuditEntry,
  AuditFilter,
  BudgetedRead,
  GrantUsage,
  State,
  StoredAuditEntry,
  StoredGrant,
  StoredToken,
} from "./port/control.ts";
import type { EmbeddingChoice, EmbeddingStatus, EmbedLimits, EmbedStep } from "./port/embeddings.ts";
import type {
  AggregateRequest,
  AggregateResult,
  ChangesPage,
  ChangesRequest,
  Connection,
  ConnectionInput,
  FieldSize,
  IngestOutcome,
  ListRequest,
  StoredPage,
  StoredRecord,
  StoredRef,
  StoredThread,
  StreamFacts,
  StreamSize,
  ThreadRequest,
  ValueLimits,
} from "./port/records.ts";
import type {
  StoredSync,
  SyncBatch,
  SyncChange,
  SyncCursor,
  SyncInput,
  SyncItem,
  SyncItemQuery,
  SyncLease,
  SyncRunRow,
} from "./port/syncs.ts";
import type {
  BlobFacts,
  FieldFacts,
  FieldMatch,
  FieldSlice,
  GrantedBlob,
  SearchRequest,
  StoredHits,
  TextRange,
} from "./port/texts.ts";
import type {
  AbandonedReads,
  CopyStep,
  DeletedRecords,
  LoadStep,
  TableDigest,
  TablePage,
  Traffic,
} from "./port/upkeep.ts";

import type { SpentWork } from "./work-budget.ts";

export type * from "./port/control.ts";
export type * from "./port/embeddings.ts";
export type * from "./port/records.ts";
export type * from "./port/syncs.ts";
export type * from "./port/texts.ts";
export type * from "./port/upkeep.ts";
export type { SpentWork, WorkLimits } from "./work-budget.ts";

/** Who waits for reads. */
export interface Caller {
  /** Reads of one lane share what one client gets, such as the lane of a grant; the owner's reads have none. */
  readonly lane?: string | undefined;
  /** Aborts when nobody waits any more; reads then fail with its reason. */
  readonly signal: AbortSignal;
}

export interface Store {
  // Owners, manifests, connections.
  /** Creates the owner if it is new. */
  putOwner(owner_id: string): Promise<void>;
  listOwners(): Promise<string[]>;
  /** Stores a manifest version for good; the same version with other content is refused (`manifest_conflict`). */
  putManifest(owner_id: string, manifest: Manifest): Promise<void>;
  getManifest(
    owner_id: string,
    source_id: string,
    declaration_version: string,
  ): Promise<Manifest | undefined>;
  listManifests(owner_id: string): Promise<{ source_id: string; declaration_version: string }[]>;
  /** Creates a connection, or moves it to another version of its source's manifest and renames it. */
  putConnection(owner_id: string, connection: ConnectionInput): Promise<void>;
  listConnections(owner_id: string): Promise<Connection[]>;

  // Writing records.
  /**
   * Writes a batch in one transaction; idempotent. Each envelope is added, changed, unchanged, deleted, or rejected with a
   * reason; a rejected one leaves no trace and does not stop the others.
   */
  ingest(owner_id: string, connection_id: string, batch: readonly RecordEnvelope[]): Promise<IngestOutcome[]>;
  /** Deletes a record; false when there is none. Leaves a tombstone for `listChanges`. */
  deleteRecord(owner_id: string, connection_id: string, stream: string, record_id: string): Promise<boolean>;
  /** Deletes records of a stream in one transaction, each with a tombstone; returns how many there were. */
  deleteRecords(
    owner_id: string,
    connection_id: string,
    stream: string,
    record_ids: readonly string[],
  ): Promise<number>;
  /** Deletes a connection with its records, index and tombstones, batch by batch; killed and called again, it goes on. */
  deleteConnection(owner_id: string, connection_id: string): Promise<void>;
  /** For after a deletion: drops deleted records from index and vectors, and returns their space to the file system. */
  purge(owner_id: string): Promise<{ is_space_freed: boolean }>;
  /**
   * Deletes the tombstones of departures (records that were deleted, or moved out of a time range) before change position
   * `before`; sessions that start earlier get `cursor_expired`.
   */
  forgetDepartures(owner_id: string, before: number): Promise<void>;

  // Reading under a scope.
  /** Which of the scope's connections have this record, by id: resolves a handle without a connection (R04). */
  locate(scope: ReadScope, stream: string, record_id: string): Promise<string[]>;
  /**
   * One record; undefined when it does not exist or the scope does not cover it. Without limits, values are cut as they are
   * stored; so in lists, threads and changes.
   */
  getRecord(
    scope: ReadScope,
    ref: StoredRef,
    fields?: readonly string[],
    limits?: ValueLimits,
  ): Promise<StoredRecord | undefined>;
  /** A record with those before and after it in its thread, by time; undefined when the scope does not cover the record. */
  readThread(scope: ReadScope, ref: StoredRef, request: ThreadRequest): Promise<StoredThread | undefined>;
  /** A page of one stream of one connection, sorted by (cursor field, key), records without a cursor value last. */
  listRecords(scope: ReadScope, request: ListRequest): Promise<StoredPage>;
  /** Changes of the scope's fields since a position: whole records, and tombstones for records that left the scope. */
  listChanges(scope: ReadScope, request: ChangesRequest): Promise<ChangesPage>;
  /** Record counts and times of each stream of the scope. */
  describeStreams(scope: ReadScope): Promise<StreamFacts[]>;
  /** The longest value of each granted field that has values too long for a record's row. */
  describeSizes(scope: ReadScope): Promise<FieldSize[]>;
  /** A metric over granted scalar fields, optionally grouped. */
  aggregate(scope: ReadScope, request: AggregateRequest): Promise<AggregateResult>;

  /** A field's size and digest; undefined when the scope does not cover it or the record has no such value. */
  describeField(scope: ReadScope, ref: StoredRef, field_path: string): Promise<FieldFacts | undefined>;
  /** The code points `start` to `end` of a field, read from the chunks that hold them. */
  readField(
    scope: ReadScope,
    ref: StoredRef,
    field_path: string,
    range: TextRange,
  ): Promise<FieldSlice | undefined>;
  /** The best match of the query in the field at or after `from_chars`, folded as search folds (R23). */
  findInField(
    scope: ReadScope,
    ref: StoredRef,
    field_path: string,
    query: Query,
    from_chars?: number,
  ): Promise<FieldMatch>;

  /** A page of the best hits with proven matches, and the exact count of matching records. */
  search(scope: ReadScope, request: SearchRequest): Promise<StoredHits>;

  /** The store for one caller: its reads under a scope take turns with those of other lanes, and end when the caller goes. */
  forCaller(caller: Caller): Store;
  // Meaning.
  /** Chooses what compares texts by meaning. A service is tried first; `off` also deletes the vectors. */
  chooseEmbeddings(owner_id: string, choice: EmbeddingChoice): Promise<void>;
  describeEmbeddings(owner_id: string): Promise<EmbeddingStatus>;
  /**
   * Embeds the next few records of which the chosen model has no vectors, or deletes some vectors of former models once it has
   * them all. `worker` names the process; only one is at it at a time. Throws `embeddings_unavailable`.
   */
  embedNext(owner_id: string, worker: string, limits?: EmbedLimits): Promise<EmbedStep>;

  /**
   * Copies the next few records of a stream that a grant masks, or deletes some of a copy that no grant needs any more. Reads under
   * such a grant throw `masking_unfinished` until its copies are complete; writes keep complete copies up to date.
   */
  copyMasked(owner_id: string): Promise<CopyStep>;

  // Blobs.
  /** Stores bytes of a connection under their SHA-256; the same bytes are stored once. Only records of that connection can refer to them. */
  putBlob(
    owner_id: string,
    connection_id: string,
    bytes: AsyncIterable<Uint8Array>,
    mime_type: string,
  ): Promise<BlobFacts>;
  /** A blob that a granted field of a granted record refers to; undefined for any other. */
  describeBlob(scope: ReadScope, blob_id: string): Promise<GrantedBlob | undefined>;
  /** Bytes `start` to `end` of such a blob, in bounded chunks. */
  readBlob(
    scope: ReadScope,
    blob_id: string,
    range: { start: number; end: number },
  ): AsyncIterable<Uint8Array>;

  // Grants, tokens, audit.
  putGrant(owner_id: string, grant: Grant): Promise<void>;
  listGrants(owner_id: string): Promise<StoredGrant[]>;
  getGrant(owner_id: string, grant_id: string): Promise<StoredGrant | undefined>;
  /** Revokes a grant; its row stays as a tombstone (R52). False when there is none or it was revoked before. */
  revokeGrant(owner_id: string, grant_id: string, at: string): Promise<boolean>;
  /** Counts a read if the budget has room for it; says what is used either way. Atomic, also with other servers. */
  spendBudget(
    owner_id: string,
    grant_id: string,
    budget: GrantBudget,
    read: BudgetedRead,
  ): Promise<{ is_spent: boolean; usage: GrantUsage }>;
  /** What was read under a grant that has a budget, on a UTC date and in all. */
  getUsage(owner_id: string, grant_id: string, day: string): Promise<GrantUsage>;
  /** Adds what no client may read any more, or replaces the rule of the same id. Clients that follow changes start over. */
  putExclusion(owner_id: string, exclusion: Exclusion): Promise<void>;
  /** All exclusions of an owner, by id. */
  listExclusions(owner_id: string): Promise<Exclusion[]>;
  /** Removes an exclusion; false when there is none. Clients that follow changes start over. */
  deleteExclusion(owner_id: string, rule_id: string): Promise<boolean>;
  /** Stores a token, and deletes the owner's tokens that ended more than 30 days ago. */
  putToken(token: StoredToken): Promise<void>;
  /** All stored tokens, including ended ones, newest first. */
  listTokens(owner_id: string): Promise<StoredToken[]>;
  findToken(digest: string): Promise<StoredToken | undefined>;
  /** A token with everything that a request under it needs, read in one statement. */
  findAccess(digest: string): Promise<Access | undefined>;
  /** Revokes a token; false when it is unknown or was revoked before. */
  revokeToken(owner_id: string, digest: string, at: string): Promise<boolean>;
  appendAudit(owner_id: string, rows: readonly AuditEntry[]): Promise<void>;
  /** Newest first. */
  listAudit(owner_id: string, filter: AuditFilter): Promise<StoredAuditEntry[]>;
  /** The requests since a time, by day, client, operation and status. */
  summarizeAudit(owner_id: string, since_ms: number): Promise<AuditDay[]>;
  /** Verifies that no row of the audit log was changed or removed, except by `expireAudit`. */
  checkAudit(owner_id: string): Promise<AuditCheck>;
  /** Deletes the rows of the audit log that were written before a time; returns how many. */
  expireAudit(owner_id: string, before_ms: number): Promise<number>;

  // State of the program.
  /** Stores a value, replacing the one of the same kind and id. */
  putState(owner_id: string, state: State): Promise<void>;
  /** Undefined when there is none or it has expired. */
  getState(owner_id: string, kind: string, id: string): Promise<State | undefined>;
  /** All values of a kind, by id. */
  listState(owner_id: string, kind: string): Promise<State[]>;
  /** Reads and deletes a value atomically: of concurrent callers, one gets it. */
  takeState(owner_id: string, kind: string, id: string): Promise<State | undefined>;
  deleteState(owner_id: string, kind: string, id: string): Promise<void>;
  /** Uses up a key, such as a one-time proof: of all callers on all processes, only the first gets true until it expires. Waits for no writer. */
  claimOnce(owner_id: string, key: string, expires_at_ms: number): Promise<boolean>;
  /** Deletes all values of a bundle (`State.bundle`). */
  deleteBundle(owner_id: string, bundle: string): Promise<void>;

  // Syncs: sources that are read again and again.
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

  // Settings and upkeep.
  /** How many bytes each stream has, for the owner to see; of a large stream, its text is an estimate. */
  measureStreams(owner_id: string): Promise<StreamSize[]>;
  /** A secret of the program, such as the one that seals cursors; created on first use. */
  getSecret(name: string, create: () => string): Promise<string>;
  /** For after a large import: compacts index segments, deletes unfinished blobs, refreshes planner statistics. Does not block reads. */
  tidy(owner_id: string): Promise<void>;
  /** Writes search index, vectors and other derived rows again from the records, which stay as they are. */
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
  load(source: Pick<Store, "dump">, watch?: (step: LoadStep) => void): Promise<TableDigest[]>;
  /**
   * For a restored backup: takes tokens, sessions and other state, the audit log and all grants from the database that it replaces;
   * grants that only the backup has are revoked. False, and nothing is changed, when that database is not of the same origin.
   */
  takeAccessOf(source: Pick<Store, "dump">): Promise<boolean>;
  /** For a restored backup: revokes every grant, and deletes all tokens, sessions and other state. */
  endAllAccess(): Promise<void>;
  /** For a restored backup: makes clients that follow changes start over. `takeAccessOf` does so too. */
  moveChangesOn(): Promise<void>;
  /** The records that were deleted and have not come back, as far as the change log remembers. */
  listDeleted(owner_id: string): AsyncIterable<DeletedRecords>;
  /** Rows and bytes that left the database since the store was opened: tests of bounded reads count them. */
  readonly traffic: Readonly<Traffic>;
  /** The work of all reads under a scope since the store was opened: tests of work budgets count it. */
  readonly work: Readonly<SpentWork>;
  /** Reads that ended because nobody waited for them any more, since the store was opened. */
  readonly abandoned: Readonly<AbandonedReads>;
  /** How long heavy reads in threads gave way to light ones. */
  readonly given_way: { ms: number };
  close(): Promise<void>;
}
