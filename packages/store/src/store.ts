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

export interface Store {
  // ── Owners, manifests, connections ────────────────────────────────────────────────────────────────────────
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

  // ── Writing records ───────────────────────────────────────────────────────────────────────────────────────
  /**
   * Writes a batch in one transaction. Each envelope is added, changed, unchanged, deleted or rejected, with its
   * reason; a rejected one leaves no trace and does not stop the others. Writing the same batch again changes nothing.
   */
  ingest(owner_id: string, connection_id: string, batch: readonly RecordEnvelope[]): Promise<IngestOutcome[]>;
  /** Deletes a record for its owner; false when there is none. Leaves a tombstone for `changes`. */
  deleteRecord(owner_id: string, connection_id: string, stream: string, record_id: string): Promise<boolean>;
  /** Forgets which records were deleted or moved before `changes` position `before`; older sessions get `cursor_expired`. */
  forgetDepartures(owner_id: string, before: number): Promise<void>;

  // ── Reading under a scope ─────────────────────────────────────────────────────────────────────────────────
  /** Which of the scope's connections hold this record, in order of their ids: the answer to an unscoped handle (R04). */
  locate(scope: ReadScope, stream: string, record_id: string): Promise<string[]>;
  /** One record, long values cut to a head; undefined when the scope does not cover it or it is not there. */
  getRecord(scope: ReadScope, ref: RecordRef, fields?: readonly string[]): Promise<StoredRecord | undefined>;
  /** A page of one stream of one connection, sorted by (cursor field, key), records without a cursor value last. */
  listRecords(scope: ReadScope, request: ListRequest): Promise<RecordPage>;
  /** What changed in the scope's projection since a position: whole records, and tombstones for what left it. */
  listChanges(scope: ReadScope, request: ChangesRequest): Promise<ChangesPage>;
  /** Counts, sizes and times of what the scope covers, for each of its streams. */
  describeStreams(scope: ReadScope): Promise<StreamFacts[]>;
  /** How long the longest value of each granted field is, of those that have values too long for a record's row. */
  describeSizes(scope: ReadScope): Promise<FieldSize[]>;
  /** Groups and numbers over granted scalar fields. */
  aggregate(scope: ReadScope, request: AggregateRequest): Promise<AggregateResult>;

  /** What a field is, without its text; undefined when the scope does not cover it or the record has no such value. */
  describeField(scope: ReadScope, ref: RecordRef, field_path: string): Promise<FieldFacts | undefined>;
  /** The code points `start` to `end` of a field, read from the chunks that hold them. */
  readField(
    scope: ReadScope,
    ref: RecordRef,
    field_path: string,
    range: CharRange,
  ): Promise<FieldSlice | undefined>;
  /** The first place at or after `from_chars` where a clause of the query matches the field, folded as search folds (R23). */
  findInField(
    scope: ReadScope,
    ref: RecordRef,
    field_path: string,
    query: Query,
    from_chars?: number,
  ): Promise<FieldMatch>;

  /** The best hits of a page with proven matches, and an exact count. */
  search(scope: ReadScope, request: SearchRequest): Promise<SearchPage>;

  // ── Blobs ─────────────────────────────────────────────────────────────────────────────────────────────────
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

  // ── Grants, tokens, audit ─────────────────────────────────────────────────────────────────────────────────
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

  // ── State of the program ──────────────────────────────────────────────────────────────────────────────────
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

  // ── Settings and upkeep ───────────────────────────────────────────────────────────────────────────────────
  /** A value kept for the program itself, such as the cursor secret; made by `create` the first time. */
  getSecret(name: string, create: () => string): Promise<string>;
  /** For after a large import: leaves few index runs, and forgets blobs that were never finished. Reading goes on meanwhile. */
  tidy(owner_id: string): Promise<void>;
  /** Looks for what must never be: text without chunks, index runs out of order, blobs without bytes. */
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

export interface StoreOptions {
  readonly now?: (() => Date) | undefined;
  /** How long SQLite waits for another program that is writing; half a minute when left out. */
  readonly busy_ms?: number | undefined;
}

export interface RecordRef {
  readonly connection_id: string;
  readonly stream: string;
  readonly record_id: string;
}

export interface ConnectionInput {
  readonly connection_id: string;
  readonly source_id: string;
  readonly declaration_version: string;
  readonly display_name: string;
}

export interface Connection extends ConnectionInput {
  readonly created_at: string;
}

export type IngestOutcome =
  | {
      readonly status: "added" | "changed" | "unchanged" | "deleted";
      readonly stream: string;
      readonly record_id: string;
    }
  | {
      readonly status: "rejected";
      readonly code: string;
      readonly message: string;
      readonly param?: string | undefined;
    };

/** A value that was too long for the record's row: it is stored in chunks, and the row keeps its head. */
export interface Cut {
  readonly path: string;
  /** `json`: the windows are over the value's serialised text (R34), and the row holds null for it. */
  readonly kind: "text" | "json";
  readonly size_chars: number;
  readonly size_bytes: number;
  readonly digest: string;
  /** The text's head: for `text` also in `data`. */
  readonly head: string;
}

export interface StoredRecord extends RecordRef {
  readonly emitted_at: string;
  /** The granted projection; long strings are cut to a head and listed in `cuts`. */
  readonly data: Record<string, unknown>;
  readonly cuts: readonly Cut[];
}

export interface ListRequest {
  readonly connection_id: string;
  readonly stream: string;
  readonly fields?: readonly string[] | undefined;
  readonly order: "asc" | "desc";
  /** A granted scalar field to sort by; the stream's cursor field when absent (if the scope covers it, else the key alone). */
  readonly order_by?: string | undefined;
  readonly filters?: readonly FieldFilter[] | undefined;
  readonly limit: number;
  readonly after?: ListPosition | undefined;
}

/** Where a page ended: opaque to callers, who seal it into a cursor. */
export interface ListPosition {
  readonly sort: string | null;
  readonly record_id: string;
}

export interface FieldFilter {
  readonly field: string;
  readonly op: "=" | "!=" | "<" | "<=" | ">" | ">=";
  readonly value: string | number | boolean;
}

export interface RecordPage {
  readonly records: readonly StoredRecord[];
  readonly next?: ListPosition | undefined;
}

export interface ChangesRequest {
  readonly connection_id: string;
  readonly stream: string;
  readonly fields?: readonly string[] | undefined;
  /** The position a former session ended at; 0 for everything. */
  readonly since: number;
  /** Set from the first page on, so that all pages of a session share one horizon. */
  readonly horizon?: number | undefined;
  readonly after?: ChangesPosition | undefined;
  readonly limit: number;
}

export interface ChangesPosition {
  readonly position: number;
}

export type Change =
  | { readonly kind: "record"; readonly record: StoredRecord }
  | {
      readonly kind: "tombstone";
      readonly record_id: string;
      readonly deleted_at: string;
      readonly emitted_at: string;
    };

export interface ChangesPage {
  readonly changes: readonly Change[];
  readonly horizon: number;
  readonly next?: ChangesPosition | undefined;
}

export interface StreamFacts {
  readonly connection_id: string;
  readonly stream: string;
  readonly record_count: number;
  /** Only when the scope covers the consent time's field. */
  readonly time_range?: { readonly first_ms: number; readonly last_ms: number } | undefined;
  /** When the scope's projection was last written, as the newest `emitted_at`. */
  readonly last_updated?: string | undefined;
}

export interface FieldSize {
  readonly connection_id: string;
  readonly stream: string;
  readonly field: string;
  readonly largest_chars: number;
}

export interface AggregateRequest {
  readonly connection_id: string;
  readonly stream: string;
  readonly metric: "count" | "count_distinct" | "min" | "max" | "sum" | "avg";
  /** Needed by every metric but `count`. */
  readonly field?: string | undefined;
  readonly group_by?: string | undefined;
  /** Groups by the consent time, in UTC; the scope must cover its field. */
  readonly time_bucket?: "day" | "month" | "year" | undefined;
  readonly filters?: readonly FieldFilter[] | undefined;
  readonly limit: number;
}

export type Scalar = string | number | boolean | null;

export interface AggregateResult {
  /** Largest value first, then by group. Ungrouped: one row with a null group. */
  readonly groups: readonly {
    readonly group: Scalar;
    readonly value: Scalar;
    readonly record_count: number;
  }[];
  readonly has_more: boolean;
}

export interface CharRange {
  readonly start: number;
  readonly end: number;
}

export interface FieldFacts {
  readonly kind: "text" | "json";
  readonly size_chars: number;
  readonly size_bytes: number;
  readonly digest: string;
}

export interface FieldSlice extends FieldFacts {
  /** Code points `start_chars` to `end_chars`, which is the asked range cut to the field. */
  readonly text: string;
  readonly start_chars: number;
  readonly end_chars: number;
}

export type FieldMatch =
  | {
      readonly found: true;
      readonly start_chars: number;
      readonly end_chars: number;
      readonly facts: FieldFacts;
    }
  /** `searched_to` is less than the size when the field has no index and the search stopped at its limit. */
  | { readonly found: false; readonly searched_to: number; readonly facts: FieldFacts | undefined };

export interface SearchRequest {
  readonly query: Query;
  readonly limit: number;
  readonly after?: SearchPosition | undefined;
}

export interface SearchPosition {
  readonly score: number;
  readonly time_ms: number | null;
  readonly tie: number;
  readonly id: string;
}

export interface SearchHit extends StoredRecord {
  readonly score: number;
  /** Fields of the scope that have a match, title first, then by place in the manifest. */
  readonly matched_fields: readonly string[];
  readonly proofs: readonly Proof[];
  readonly position: SearchPosition;
}

/** A match that was found again in the stored text (R11). */
export interface Proof {
  readonly field_path: string;
  readonly size_chars: number;
  readonly digest: string;
  /** Text around the matches, from `text_start_chars` on. */
  readonly text: string;
  readonly text_start_chars: number;
  /** In the whole field; those inside `text` first found, then others to read at. */
  readonly matches: readonly { readonly start_chars: number; readonly end_chars: number }[];
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** How many records of the scope match: exact. */
  readonly count: number;
  readonly has_more: boolean;
}

export interface BlobFacts {
  readonly blob_id: string;
  readonly sha256: string;
  readonly mime_type: string;
  readonly size_bytes: number;
}

export interface GrantedBlob extends BlobFacts {
  /** A granted record and field that refers to it. */
  readonly via: RecordRef & { readonly field_path: string };
}

export interface StoredGrant {
  readonly grant: Grant;
  readonly revoked_at?: string | undefined;
}

export interface StoredToken {
  readonly digest: string;
  readonly owner_id: string;
  readonly kind: "owner" | "client";
  readonly client_id: string;
  readonly grant_ids: readonly string[];
  readonly created_at: string;
  readonly expires_at?: string | undefined;
  readonly revoked_at?: string | undefined;
  /** The resource that the token was made for (RFC 8707); any when left out. */
  readonly audience?: string | undefined;
}

/** A token, those of its grants that there are, and its owner's connections. */
export interface Access {
  readonly token: StoredToken;
  readonly grants: readonly StoredGrant[];
  readonly connections: readonly Connection[];
}

/** Something small that the program itself remembers: an import's checkpoint, a sign-in, an open question of OAuth. */
export interface State {
  readonly kind: string;
  readonly id: string;
  /** Any JSON. */
  readonly value: unknown;
  /** Gone from then on. */
  readonly expires_at_ms?: number | undefined;
  /** What belongs together, to be forgotten at once. */
  readonly bundle?: string | undefined;
}

/** One read. Never content, never a token. */
export interface AuditEntry {
  readonly at: string;
  readonly request_id: string;
  readonly client_id: string;
  readonly grant_id?: string | undefined;
  readonly operation: string;
  readonly status: number;
  readonly connection_id?: string | undefined;
  readonly stream?: string | undefined;
  readonly record_id?: string | undefined;
  readonly field?: string | undefined;
  readonly range_start?: number | undefined;
  readonly range_end?: number | undefined;
  readonly records?: number | undefined;
  readonly bytes: number;
}

export interface StoredAuditEntry extends AuditEntry {
  readonly audit_id: number;
}

export interface AuditFilter {
  readonly grant_id?: string | undefined;
  readonly client_id?: string | undefined;
  readonly since?: string | undefined;
  readonly before_audit_id?: number | undefined;
  readonly limit: number;
}

export type Cell = string | number | null | Uint8Array;

/** Some rows of a table: a cell for each column, text as UTF-8 and never packed. */
export interface TablePage {
  readonly table: string;
  readonly rows: readonly (readonly Cell[])[];
}

/** What a table came to; tables without rows are left out. */
export interface TableDigest {
  readonly table: string;
  readonly row_count: number;
  readonly sha256: string;
}

/** How far a load is: rows of a table that were copied, or read back. */
export interface LoadStep {
  readonly phase: "copy" | "check";
  readonly table: string;
  readonly row_count: number;
}

export interface Traffic {
  statements: number;
  rows: number;
  bytes: number;
}
