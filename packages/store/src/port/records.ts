/** Records as they are kept: written, listed, counted. */

export interface StoredRef {
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
export interface StoredCut {
  readonly path: string;
  /** `json`: the windows are over the value's serialised text (R34), and the row holds null for it. */
  readonly kind: "text" | "json";
  readonly size_chars: number;
  readonly size_bytes: number;
  readonly digest: string;
  /** The text's head: for `text` also in `data`. */
  readonly head: string;
}

export interface StoredRecord extends StoredRef {
  readonly emitted_at: string;
  /** The granted projection; long strings are cut to a head and listed in `cuts`. */
  readonly data: Record<string, unknown>;
  readonly cuts: readonly StoredCut[];
}

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
}

/** Where a page ended: opaque to callers, who seal it into a cursor. */
export interface ListPosition {
  readonly sort: string | null;
  readonly record_id: string;
}

export interface ScalarFilter {
  readonly field: string;
  readonly op: "=" | "!=" | "<" | "<=" | ">" | ">=";
  readonly value: string | number | boolean;
}

export interface StoredPage {
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
  readonly filters?: readonly ScalarFilter[] | undefined;
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
