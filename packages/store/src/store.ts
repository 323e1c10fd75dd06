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
import type { Manifest, ReadScope, RecordEnvelope, StreamMasks } from "@rungs/contract";
import type { Query } from "@rungs/evidence";
import type { ControlStore } from "./port/control.ts";
import type { EmbeddingStore } from "./port/embeddings.ts";
import type { OwnerStore } from "./port/owners.ts";
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
  ThreadRequest,
  ValueLimits,
} from "./port/records.ts";
import type { SignalStore } from "./port/signals.ts";
import type { SyncStore } from "./port/syncs.ts";
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
  ReplicaStatus,
  SealState,
  SpentWork,
  Traffic,
  UpkeepStore,
} from "./port/upkeep.ts";

export type * from "./port/control.ts";
export type * from "./port/embeddings.ts";
export type * from "./port/owners.ts";
export type * from "./port/records.ts";
export type * from "./port/signals.ts";
export type * from "./port/syncs.ts";
export type * from "./port/texts.ts";
export type * from "./port/upkeep.ts";
export type { SpentWork, WorkLimits } from "./port/upkeep.ts";

/** The caller of reads. */
export interface Caller {
  /** Reads of one lane share what one client gets, such as the lane of a grant; the owner's reads have none. */
  readonly lane?: string | undefined;
  /** Aborts when nobody waits any more; reads then fail with its reason. */
  readonly signal: AbortSignal;
  /**
   * The minimum version that the caller must see (`Access.write_version`): a replica that has it may answer. Without
   * it, the primary does. Each read evaluates it, since a stream advances it.
   */
  write_version?: number | undefined;
}

/** The records, apart from owners, controls, syncs, vectors and upkeep. */
export interface Store extends OwnerStore, EmbeddingStore, ControlStore, SignalStore, SyncStore, UpkeepStore {
  // Manifests, connections.
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
  /** Deletes a connection with its records, index and tombstones, batch by batch; killed and called again, it continues. */
  deleteConnection(owner_id: string, connection_id: string): Promise<void>;
  /**
   * Drops deleted records from index and vectors, and returns their space to the file system; call it after a deletion.
   * It rewrites tables and blocks everybody meanwhile, so with several owners it needs `stops_others`.
   */
  purge(owner_id: string, options?: { stops_others?: boolean }): Promise<{ is_space_freed: boolean }>;
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
   * stored, as in lists, threads and changes.
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

  /** The store for one caller: its reads under a scope take turns with those of other lanes, and end when the caller disconnects. */
  forCaller(caller: Caller): Store;
  /**
   * Copies the next few records of a stream that a grant masks, or deletes some of a copy that no grant needs any more. Reads under
   * such a grant throw `masking_unfinished` until its copies are complete; writes keep complete copies up to date.
   */
  copyMasked(owner_id: string): Promise<CopyStep>;
  /** Records of a stream as a masked copy would have them, without one: what a preview shows. Sizes stay those of the original. */
  maskRecords(
    owner_id: string,
    masks: StreamMasks,
    records: readonly StoredRecord[],
  ): Promise<StoredRecord[]>;

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

  /** Rows and bytes read from the database since the store was opened, for tests of bounded reads. */
  readonly traffic: Readonly<Traffic>;
  /** The work of all reads under a scope since the store was opened, for tests of work budgets. */
  readonly work: Readonly<SpentWork>;
  /** Abandoned reads since the store was opened. */
  readonly abandoned: Readonly<AbandonedReads>;
  /** The role under which PostgreSQL itself keeps owners apart (R120); undefined where only the program does. */
  readonly database_role?: string | undefined;
  /** Undefined where no row is sealed. */
  readonly seal_state?: SealState | undefined;
  /** How long heavy reads in threads have yielded to light ones. */
  readonly given_way: { ms: number };
  /** The replica that takes reads off the primary, if there is one. */
  readonly replica?: Readonly<ReplicaStatus> | undefined;
  close(): Promise<void>;
}
