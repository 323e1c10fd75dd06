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
  /** What the owner's exclusions hide of the stream (R81). */
  readonly never?: HiddenRecords | undefined;
  /** Limits on the parents of its records, such as the messages of attachments. */
  readonly within?: readonly ParentScope[] | undefined;
}

/** Limits on the records of `stream`, whose keys the field `foreign_key` holds. They compare the values as they are, masked or not. */
export interface ParentScope
  extends Pick<StreamScope, "stream" | "time" | "record_ids" | "where" | "never" | "within"> {
  readonly foreign_key: string;
}

/** Records that meet one of the conditions, have one of the keys, or match the pattern of one of the rules. */
export interface HiddenRecords {
  readonly conditions: readonly Condition[];
  readonly record_ids: readonly string[];
  /** The ids of rules by pattern. The store tags the records that match. */
  readonly patterns?: readonly string[] | undefined;
}
