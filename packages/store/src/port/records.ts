/** Types for writing, listing and counting records. */
import type { EncodedBytes } from "@rungs/evidence";

/** Names one record of an owner. */
export interface StoredRef {
  readonly connection_id: string;
  readonly stream: string;
  readonly record_id: string;
}

/** A connection: one account or export of a source, read under one version of the source's manifest. */
export interface ConnectionInput {
  readonly connection_id: string;
  readonly source_id: string;
  readonly declaration_version: string;
  readonly display_name: string;
}

export interface Connection extends ConnectionInput {
  readonly created_at: string;
}

/** The outcome of one envelope of a batch. */
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

/** A value too long for the record's row: it is stored in chunks, and the row keeps its prefix. */
export interface StoredCut {
  readonly path: string;
  /**
   * `json`: windows are over the value's serialized text (R34), and the row holds null for it.
   * `binary`: the string encodes bytes (R33), and the row holds a description of them; it may be nested.
   */
  readonly kind: "text" | "json" | "binary";
  readonly size_chars: number;
  readonly size_bytes: number;
  readonly digest: string;
  /** The text's prefix; for `text` it is also in `data`. Empty for `binary`. */
  readonly head: string;
  /** Only for `binary`. */
  readonly bytes?: StoredBytes | undefined;
}

/** Bytes that a string encodes. */
export interface StoredBytes extends EncodedBytes {
  readonly blob_id: string;
  /** Inside a `json` cut: the characters of its text that describe the bytes, quotes included. */
  readonly shown_at?: { readonly start_chars: number; readonly end_chars: number } | undefined;
}

/** A record as a scope sees it. */
export interface StoredRecord extends StoredRef {
  /** When the newest change among the scope's fields was emitted. */
  readonly emitted_at: string;
  /** The granted fields; long values are cut and listed in `cuts`. */
  readonly data: Record<string, unknown>;
  readonly cuts: readonly StoredCut[];
}

/** How much of a record's values an answer holds. The rest is cut and listed in `cuts`. */
export interface ValueLimits {
  /** The longest value that is whole; at least as long as what a row holds. */
  readonly value_chars: number;
  /** How long the values of a record are together. */
  readonly record_chars: number;
  /** A page ends before the record with which its values, whole, would be longer; it has at least one. */
  readonly page_chars?: number | undefined;
}

/** How many records to read on either side of a record in its thread. */
export interface ThreadRequest {
  readonly before: number;
  readonly after: number;
  readonly limits?: ValueLimits | undefined;
}

/** A record with those around it in its thread, each list in the order of the thread. */
export interface StoredThread {
  /** False for a record in no thread, or if the scope does not cover the thread and time fields. */
  readonly visible: boolean;
  readonly record: StoredRecord;
  readonly before: readonly StoredRecord[];
  readonly after: readonly StoredRecord[];
  readonly has_before: boolean;
  readonly has_after: boolean;
}

/** A page of one stream of one connection. */
export interface ListRequest {
  readonly connection_id: string;
  readonly stream: string;
  readonly fields?: readonly string[] | undefined;
  readonly order: "asc" | "desc";
  /** A granted scalar field to sort by; the stream's cursor field when absent (if the scope covers it, else the key alone). */
  readonly order_by?: string | undefined;
  readonly filters?: readonly ScalarFilter[] | undefined;
  readonly limit: number;
  readonly after?: ListPosition | undefined;
  /** Only records that existed at this position of the change log: all pages of a stream share one horizon (R58). */
  readonly horizon?: number | undefined;
  readonly limits?: ValueLimits | undefined;
}

/** Where a page ended. Opaque to callers, who seal it into a cursor. */
export interface ListPosition {
  readonly sort: string | null;
  readonly record_id: string;
}

/** A condition on a granted filterable field; a record without a value never matches. */
export interface ScalarFilter {
  readonly field: string;
  readonly op: "=" | "!=" | "<" | "<=" | ">" | ">=";
  readonly value: string | number | boolean;
}

/** A page of records. */
export interface StoredPage {
  readonly records: readonly StoredRecord[];
  /** Absent on the last page. */
  readonly next?: ListPosition | undefined;
}

/** A page of what changed in one stream since a position. */
export interface ChangesRequest {
  readonly connection_id: string;
  readonly stream: string;
  readonly fields?: readonly string[] | undefined;
  /** The horizon of the client's previous session; 0 for everything. */
  readonly since: number;
  /** Set from the first page on, so that all pages of a session share one horizon. */
  readonly horizon?: number | undefined;
  readonly after?: ChangesPosition | undefined;
  readonly limit: number;
  readonly limits?: ValueLimits | undefined;
}

/** Where a page of changes ended. */
export interface ChangesPosition {
  readonly position: number;
}

/** A record that was added or changed, or the tombstone of one that was deleted or left the scope. */
export type Change =
  | { readonly kind: "record"; readonly record: StoredRecord }
  | {
      readonly kind: "tombstone";
      readonly record_id: string;
      readonly deleted_at: string;
      readonly emitted_at: string;
    };

/** A page of changes, oldest first. */
export interface ChangesPage {
  readonly changes: readonly Change[];
  /** The last position that this session covers: the `since` of the next session. */
  readonly horizon: number;
  readonly next?: ChangesPosition | undefined;
}

/** Facts about the records of a stream that a scope covers. */
export interface StreamFacts {
  readonly connection_id: string;
  readonly stream: string;
  readonly record_count: number;
  /** Only when the scope covers the consent time's field. */
  readonly time_range?: { readonly first_ms: number; readonly last_ms: number } | undefined;
  /** The newest `emitted_at` among the scope's fields. */
  readonly last_updated?: string | undefined;
}

/** How large a stream is. */
export interface StreamSize {
  readonly connection_id: string;
  readonly stream: string;
  /** How many records were measured: all of them, or a sample. */
  readonly measured_records: number;
  /** The bytes of their text. */
  readonly measured_bytes: number;
  readonly file_bytes: number;
}

/** The longest chunked value of a field. */
export interface FieldSize {
  readonly connection_id: string;
  readonly stream: string;
  readonly field: string;
  readonly largest_chars: number;
}

/** One metric over a stream's records, optionally in groups. */
export interface AggregateRequest {
  readonly connection_id: string;
  readonly stream: string;
  readonly metric: "count" | "count_distinct" | "min" | "max" | "sum" | "avg";
  /** Required by every metric except `count`. */
  readonly field?: string | undefined;
  readonly group_by?: string | undefined;
  /** Groups by the consent time; the scope must cover its field. */
  readonly time_bucket?: "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year" | undefined;
  /** UTC by default. */
  readonly time_zone?: string | undefined;
  /** By default by value, the largest first. */
  readonly order?: "value" | "group" | undefined;
  readonly filters?: readonly ScalarFilter[] | undefined;
  readonly limit: number;
}

/** A value that can be filtered, sorted and aggregated by. */
export type Scalar = string | number | boolean | null;

/** At most `limit` groups. */
export interface AggregateResult {
  /** In the requested order. Ungrouped: one row with a null group. */
  readonly groups: readonly {
    readonly group: Scalar;
    readonly value: Scalar;
    readonly record_count: number;
  }[];
  readonly has_more: boolean;
  /** The records of the groups beyond the limit. */
  readonly other_record_count: number;
}
