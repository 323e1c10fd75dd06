/**
 * The port: everything Rungs keeps, and every way to get at it. SQLite and PostgreSQL stand behind it and pass
 * one suite (`suite/`). A third engine implements `Database` (`database.ts`) and passes it too.
 *
 * Rules that every implementation keeps:
 * - Reads take a `ReadScope` first, and the scope is part of the statement (R51). What is outside a scope is not
 *   found, not counted, and changes no score, order or total (R17).
 * - Reads return bounded slices. No call reads more than the chunks around what it returns (R25).
 * - A write is one transaction: all of it or nothing.
 * - Expected refusals are `Refusal`s with a code of the contract's registry.
 */
import type { Grant, Manifest, ReadScope, RecordEnvelope } from "@rungs/contract";
import type { Query } from "@rungs/evidence";
import type {
  Access,
  AuditEntry,
  AuditFilter,
  State,
  StoredAuditEntry,
  StoredGrant,
  StoredToken,
} from "./port/control.ts";
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
  StreamFacts,
} from "./port/records.ts";
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
import type { LoadStep, TableDigest, TablePage, Traffic } from "./port/upkeep.ts";

export type * from "./port/control.ts";
export type * from "./port/records.ts";
export type * from "./port/texts.ts";
export type * from "./port/upkeep.ts";

export interface Store {
  // Owners, manifests, connections.
  /** Makes the owner if it is new. */
  putOwner(owner_id: string): Promise<void>;
  listOwners(): Promise<string[]>;
  /** Keeps a manifest version for ever; the same version with other content is refused (`manifest_conflict`). */
  putManifest(owner_id: string, manifest: Manifest): Promise<void>;
  getManifest(
    owner_id: string,
    source_id: string,
    declaration_version: string,
  ): Promise<Manifest | undefined>;
  listManifests(owner_id: string): Promise<{ source_id: string; declaration_version: string }[]>;
  /** Makes a connection, or moves it to another version of its source's manifest and gives it a new label. */
  putConnection(owner_id: string, connection: ConnectionInput): Promise<void>;
  listConnections(owner_id: string): Promise<Connection[]>;

  // Writing records.
  /**
   * Writes a batch in one transaction. Each envelope is added, changed, unchanged, deleted or rejected, with its
   * reason; a rejected one leaves no trace and does not stop the others. Writing the same batch again changes nothing.
   */
  ingest(owner_id: string, connection_id: string, batch: readonly RecordEnvelope[]): Promise<IngestOutcome[]>;
  /** Deletes a record for its owner; false when there is none. Leaves a tombstone for `changes`. */
  deleteRecord(owner_id: string, connection_id: string, stream: string, record_id: string): Promise<boolean>;
  /** Forgets which records were deleted or moved before `changes` position `before`; older sessions get `cursor_expired`. */
  forgetDepartures(owner_id: string, before: number): Promise<void>;

  // Reading under a scope.
  /** Which of the scope's connections hold this record, in order of their ids: the answer to an unscoped handle (R04). */
  locate(scope: ReadScope, stream: string, record_id: string): Promise<string[]>;
  /** One record, long values cut to a head; undefined when the scope does not cover it or it is not there. */
  getRecord(scope: ReadScope, ref: StoredRef, fields?: readonly string[]): Promise<StoredRecord | undefined>;
  /** A page of one stream of one connection, sorted by (cursor field, key), records without a cursor value last. */
  listRecords(scope: ReadScope, request: ListRequest): Promise<StoredPage>;
  /** What changed in the scope's projection since a position: whole records, and tombstones for what left it. */
  listChanges(scope: ReadScope, request: ChangesRequest): Promise<ChangesPage>;
  /** Counts, sizes and times of what the scope covers, for each of its streams. */
  describeStreams(scope: ReadScope): Promise<StreamFacts[]>;
  /** How long the longest value of each granted field is, of those that have values too long for a record's row. */
  describeSizes(scope: ReadScope): Promise<FieldSize[]>;
  /** Groups and numbers over granted scalar fields. */
  aggregate(scope: ReadScope, request: AggregateRequest): Promise<AggregateResult>;

  /** What a field is, without its text; undefined when the scope does not cover it or the record has no such value. */
  describeField(scope: ReadScope, ref: StoredRef, field_path: string): Promise<FieldFacts | undefined>;
  /** The code points `start` to `end` of a field, read from the chunks that hold them. */
  readField(
    scope: ReadScope,
    ref: StoredRef,
    field_path: string,
    range: TextRange,
  ): Promise<FieldSlice | undefined>;
  /** The first place at or after `from_chars` where a clause of the query matches the field, folded as search folds (R23). */
  findInField(
    scope: ReadScope,
    ref: StoredRef,
    field_path: string,
    query: Query,
    from_chars?: number,
  ): Promise<FieldMatch>;

  /** The best hits of a page with proven matches, and an exact count. */
  search(scope: ReadScope, request: SearchRequest): Promise<StoredHits>;

  // Blobs.
  /** Stores bytes under their SHA-256; the same bytes are stored once. */
  putBlob(owner_id: string, bytes: AsyncIterable<Uint8Array>, mime_type: string): Promise<BlobFacts>;
  /** A blob that a granted field of a granted record refers to; undefined for any other. */
  describeBlob(scope: ReadScope, blob_id: string): Promise<GrantedBlob | undefined>;
  /** Bytes `start` to `end` of such a blob, a bounded piece at a time. */
  readBlob(
    scope: ReadScope,
    blob_id: string,
    range: { start: number; end: number },
  ): AsyncIterable<Uint8Array>;

  // Grants, tokens, audit.
  putGrant(owner_id: string, grant: Grant): Promise<void>;
  listGrants(owner_id: string): Promise<StoredGrant[]>;
  getGrant(owner_id: string, grant_id: string): Promise<StoredGrant | undefined>;
  /** Makes the grant a tombstone (R52). False when there is none or it was revoked before. */
  revokeGrant(owner_id: string, grant_id: string, at: string): Promise<boolean>;
  /** Keeps a token, and forgets those of its owner's that expired or were ended 30 days ago or longer. */
  putToken(token: StoredToken): Promise<void>;
  /** Every token that is kept, the ended ones too, newest first. */
  listTokens(owner_id: string): Promise<StoredToken[]>;
  findToken(digest: string): Promise<StoredToken | undefined>;
  /** A token with all that a request under it needs to know, as it is at this moment. */
  findAccess(digest: string): Promise<Access | undefined>;
  /** Ends a token; false when it is unknown. */
  revokeToken(owner_id: string, digest: string, at: string): Promise<boolean>;
  appendAudit(owner_id: string, rows: readonly AuditEntry[]): Promise<void>;
  /** Newest first. */
  listAudit(owner_id: string, filter: AuditFilter): Promise<StoredAuditEntry[]>;

  // State of the program.
  /** Remembers a state in place of the one of the same kind and id. */
  putState(owner_id: string, state: State): Promise<void>;
  /** Undefined when there is none, or its time is over. */
  getState(owner_id: string, kind: string, id: string): Promise<State | undefined>;
  /** All of a kind, in order of their ids. */
  listState(owner_id: string, kind: string): Promise<State[]>;
  /** Gives a state and forgets it: of several callers one gets it. */
  takeState(owner_id: string, kind: string, id: string): Promise<State | undefined>;
  deleteState(owner_id: string, kind: string, id: string): Promise<void>;
  deleteBundle(owner_id: string, bundle: string): Promise<void>;

  // Settings and upkeep.
  /** A value kept for the program itself, such as the cursor secret; made by `create` the first time. */
  getSecret(name: string, create: () => string): Promise<string>;
  /** For after a large import: leaves few index segments, and forgets blobs that were never finished. Reading goes on meanwhile. */
  tidy(owner_id: string): Promise<void>;
  /** Looks for what must never be: text without chunks, index segments out of order, blobs without bytes. */
  check(owner_id: string): Promise<string[]>;
  /**
   * Everything that is kept, for a copy on another engine: one snapshot, table by table in order of their keys, a bounded page at a
   * time. `take` has its page when it is awaited.
   */
  dump(take: (page: TablePage) => Promise<void>): Promise<void>;
  /**
   * Fills a store that holds nothing (else `database_not_empty`) with all that another one has. One transaction: it is kept only when
   * every table reads back as it was sent, and what it came to is returned.
   */
  load(source: Pick<Store, "dump">, watch?: (step: LoadStep) => void): Promise<TableDigest[]>;
  /** Rows and bytes that left the database since the store was opened: what the proofs count. */
  readonly traffic: Readonly<Traffic>;
  close(): Promise<void>;
}
