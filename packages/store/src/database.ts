/**
 * The engine's port: what a database does for the store. Statements are written once, in the SQL that both engines share,
 * with `$1`-style parameters; `Dialect` has the few expressions that differ.
 */
import type { Traffic } from "./store.ts";
import type { WorkBudget } from "./work-budget.ts";

/** A parameter of a statement; a list is one parameter. */
export type Value = string | number | null | Uint8Array | readonly string[] | readonly number[];
export type SqlRow = Record<string, string | number | null | Uint8Array>;

export interface Database {
  readonly traffic: Traffic;
  /** Runs `work` on one snapshot of the data. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Runs `work` without a snapshot: for one statement, or statements that do not depend on each other. */
  peek<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Runs `work` as one transaction, serialized per owner. An error rolls it back. */
  write<T>(owner: number, work: (sql: WriteSql) => Promise<T>): Promise<T>;
  /**
   * Adds rows to the chain of an owner's audit log (`control/audit-chain.ts`) without waiting for other writers or for an fsync:
   * they survive a crash of the process, not always of the machine.
   */
  appendAudit(owner: number, entries: readonly (readonly Value[])[]): Promise<void>;
  /** Adds a key that is not there, or has expired; false when it is there. Waits for no other writer, like `appendAudit`. */
  claimOnce(owner: number, key: string, times: ClaimTimes): Promise<boolean>;
  /** Moves journaled audit rows to the table `audit`. Rows that another writer holds up follow later. */
  flushAuditJournal(): Promise<void>;
  /** Refreshes planner statistics of key columns once an owner has several times as many documents as at the last refresh. */
  analyzeIfGrown(docs: number): Promise<void>;
  /** Refreshes planner statistics of all tables: for after a large import. */
  analyze(): Promise<void>;
  /** Returns the space of deleted rows to the file system, without blocking the event loop; false while other processes prevent it. */
  reclaimSpace(): Promise<boolean>;
  close(): Promise<void>;
}

/** Until when a key counts as used, and the current time. */
export interface ClaimTimes {
  readonly expires_ms: number;
  readonly now_ms: number;
}

/** Reads on one connection. */
export interface Sql {
  readonly dialect: Dialect;
  /** The work budget of the read; undefined for writes and upkeep, which have none. */
  readonly budget?: WorkBudget | undefined;
  /** All rows of a bounded query. */
  all<R extends SqlRow = SqlRow>(statement: string, values?: readonly Value[]): Promise<R[]>;
  /** The first `limit` index blocks of each range, in order: the last that starts at or before `from`, and those that start before `to`. */
  readBlocks(owner: number, ranges: readonly BlockRange[], limit?: number): Promise<Uint8Array[][]>;
}

/** A connection, and the owner whose rows its statements touch. */
export interface SqlContext<S extends Sql = Sql> {
  readonly sql: S;
  readonly owner: number;
}

/** Reads and writes inside a transaction. */
export interface WriteSql extends Sql {
  /** Runs a statement; returns how many rows it changed. */
  run(statement: string, values?: readonly Value[]): Promise<number>;
  /** Adds rows in bulk; each row has a value for each column of the table. */
  insert(table: TableName, rows: readonly (readonly Value[])[]): Promise<void>;
}

/** The keys `from` (inclusive) to `to` (exclusive) of one index segment. */
export interface BlockRange {
  readonly segment: number;
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

/** The SQL expressions and encodings in which the engines differ. */
export interface Dialect {
  readonly kind: "sqlite" | "postgres";
  /** Whether `column` is in the list parameter (such as `$2`). */
  isAnyText(column: string, parameter: string): string;
  isAnyNumber(column: string, parameter: string): string;
  /** The numbers of a list parameter as rows of `alias`, in its column `value`. */
  numbersOf(parameter: string, alias: string): string;
  /** A column of UTF-8 bytes as text, and a column of text as bytes. */
  toText(column: string): string;
  toBytes(column: string): string;
  /** Whether `column` is in the JSON list of texts in `list`. */
  isListed(column: string, list: string): string;
  /** Whether the JSON list of texts in `column` and the list of the parameter have one in common. */
  sharesText(column: string, parameter: string): string;
  /** Makes a statement use an index, where the engine's planner would choose a worse one. */
  useIndex(name: string): string;
  /** Encodes a chunk of text for storage. */
  packChunk(utf8: Uint8Array): Uint8Array;
  unpackChunk(body: Uint8Array): Uint8Array;
}

/** Collects the parameters of a statement while its text is built. */
export class Parameters {
  readonly values: Value[] = [];

  /** Adds a value and returns its placeholder. */
  add(value: Value): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** A row's columns that are not null. */
export function omitNulls(row: SqlRow): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

export type TableName = keyof typeof tables;
export type ColumnType = "int" | "text" | "bytes" | "real";

/** Every table with its columns, in order. */
export const tables = {
  owners: {
    owner: "int",
    owner_id: "text",
    next_doc: "int",
    next_seq: "int",
    next_run: "int",
    changes_floor: "int",
    values_floor: "int",
  },
  secrets: { owner: "int", name: "text", value: "text" },
  manifests: { owner: "int", source_id: "text", declaration_version: "text", body: "text" },
  connections: {
    owner: "int",
    connection_id: "text",
    source_id: "text",
    declaration_version: "text",
    display_name: "text",
    created_at: "text",
  },
  parts: {
    owner: "int",
    part: "int",
    connection_id: "text",
    stream: "text",
    fields: "text",
    masks: "text",
    copied_doc: "int",
    folding: "int",
  },
  records: {
    owner: "int",
    part: "int",
    record_id: "text",
    doc: "int",
    seq: "int",
    emitted_at: "text",
    marks: "text",
    time_ms: "int",
    sort_key: "bytes",
    data: "text",
    cuts: "text",
  },
  texts: {
    owner: "int",
    doc: "int",
    path: "text",
    text_no: "int",
    start_char: "int",
    field: "text",
    kind: "text",
    size_chars: "int",
    size_bytes: "int",
    digest: "text",
    first_position: "int",
    end_position: "int",
  },
  chunks: {
    owner: "int",
    doc: "int",
    text_no: "int",
    start_char: "int",
    first_position: "int",
    body: "bytes",
  },
  scalars: { owner: "int", part: "int", field: "int", value: "bytes", doc: "int", number: "real" },
  items: { owner: "int", part: "int", field: "int", value: "bytes", doc: "int" },
  threads: { owner: "int", part: "int", thread: "bytes", time_ms: "int", place: "int", doc: "int" },
  changes: {
    owner: "int",
    part: "int",
    seq: "int",
    record_id: "text",
    kind: "int",
    fields: "text",
    old_time_ms: "int",
    emitted_at: "text",
    changed_at: "text",
  },
  former_values: { owner: "int", part: "int", field: "int", value: "bytes", seq: "int" },
  runs: {
    owner: "int",
    run: "int",
    part: "int",
    level: "int",
    first_doc: "int",
    last_doc: "int",
    doc_count: "int",
    token_count: "int",
    tokenizer: "int",
  },
  blocks: { owner: "int", run: "int", first_key: "bytes", body: "bytes" },
  dead: { owner: "int", part: "int", doc: "int" },
  vectors: {
    owner: "int",
    part: "int",
    first_doc: "int",
    number: "int",
    last_doc: "int",
    size: "int",
    model: "text",
    body: "bytes",
  },
  embeddings: { owner: "int", model: "text", through_doc: "int" },
  blobs: { owner: "int", blob_id: "text", blob_no: "int", mime_type: "text", size_bytes: "int" },
  blob_chunks: { owner: "int", blob_no: "int", start_byte: "int", body: "bytes" },
  blob_refs: {
    owner: "int",
    part: "int",
    blob_id: "text",
    field: "text",
    time_ms: "int",
    doc: "int",
    path: "text",
  },
  blob_sources: { owner: "int", blob_id: "text", connection_id: "text" },
  grants: { owner: "int", grant_id: "text", body: "text", revoked_at: "text" },
  grant_usage: {
    owner: "int",
    grant_id: "text",
    day: "text",
    day_records: "int",
    day_bytes: "int",
    records: "int",
    bytes: "int",
  },
  exclusions: { owner: "int", rule_id: "text", body: "text" },
  tokens: {
    owner: "int",
    digest: "text",
    kind: "text",
    client_id: "text",
    grant_ids: "text",
    created_at: "text",
    expires_at: "text",
    revoked_at: "text",
    audience: "text",
  },
  state: { owner: "int", kind: "text", id: "text", bundle: "text", value: "text", expires_ms: "int" },
  audit: {
    owner: "int",
    audit_id: "int",
    at: "text",
    request_id: "text",
    client_id: "text",
    grant_id: "text",
    operation: "text",
    status: "int",
    connection_id: "text",
    stream: "text",
    record_id: "text",
    field: "text",
    range_start: "int",
    range_end: "int",
    records: "int",
    bytes: "int",
    progress: "text",
    requests: "int",
    hash: "text",
  },
  syncs: {
    owner: "int",
    sync_id: "text",
    connection_id: "text",
    body: "text",
    secret: "text",
    is_paused: "int",
    due_ms: "int",
    failure_count: "int",
    holder: "text",
    lease_ms: "int",
    created_at: "text",
  },
  sync_cursors: { owner: "int", sync_id: "text", collection: "text", cursor: "text" },
  sync_items: {
    owner: "int",
    sync_id: "text",
    collection: "text",
    item: "text",
    stream: "text",
    record_id: "text",
    others: "text",
    state: "text",
  },
  sync_runs: { owner: "int", sync_id: "text", started_ms: "int", body: "text" },
  audit_chains: { owner: "int", start_id: "int", start_hash: "text", end_id: "int", end_hash: "text" },
} as const satisfies Record<string, Record<string, ColumnType>>;
