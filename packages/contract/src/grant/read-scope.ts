import type { Condition } from "./condition.ts";
import type { StreamMasks } from "./grant.ts";

/**
 * What one read may access. Every read of the store takes a scope as its first argument, and the scope becomes part of the
 * database statement (R51): a read without one does not compile.
 */
export interface ReadScope {
  readonly owner_id: string;
  /** At most one entry for each connection and stream. An empty list allows nothing. */
  readonly streams: readonly StreamScope[];
}

/** What may be read of one stream of one connection. */
export interface StreamScope {
  readonly connection_id: string;
  readonly stream: string;
  /** Top-level field names. A nested path is covered by its top-level field (R26). */
  readonly fields: readonly string[];
  /** Limits on the stream's consent time, in milliseconds; a record without a time is outside any limit. */
  readonly time?:
    | { readonly since_ms?: number | undefined; readonly until_ms?: number | undefined }
    | undefined;
  /** Canonical record keys; absent means every record. */
  readonly record_ids?: readonly string[] | undefined;
  /** Conditions that a record must all meet, on fields granted or not (R80). */
  readonly where?: readonly Condition[] | undefined;
  /** What is masked: reads see the masked text only (R82). */
  readonly masks?: StreamMasks | undefined;
  /** What the owner's exclusions hide of the stream: a record that meets one of the conditions, or has one of the keys (R81). */
  readonly never?:
    | { readonly conditions: readonly Condition[]; readonly record_ids: readonly string[] }
    | undefined;
}
