/** Values of reading text, searching, and reading blobs. Offsets in text are Unicode code points. */
import type { Provenance, Query, QueryClause } from "@rungs/evidence";
import type { ScalarFilter, StoredRecord, StoredRef } from "./records.ts";

/** Code points `start` (inclusive) to `end` (exclusive). */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A field's value without its text. */
export interface FieldFacts {
  /**
   * `json`: an object, list, number or boolean, read as its compact JSON text (R34), in which strings that encode bytes are
   * described. `binary`: such a string.
   */
  readonly kind: "text" | "json" | "binary";
  readonly size_chars: number;
  readonly size_bytes: number;
  /** `sha256:` and the digest of the text's UTF-8. */
  readonly digest: string;
}

/** A window of a field's text. */
export interface FieldSlice extends FieldFacts {
  /** Code points `start_chars` to `end_chars`: the requested range, clamped to the field. */
  readonly text: string;
  readonly start_chars: number;
  readonly end_chars: number;
}

/** Where a query matches in a field. */
export type FieldMatch =
  | {
      readonly found: true;
      readonly start_chars: number;
      readonly end_chars: number;
      readonly facts: FieldFacts;
    }
  /** `searched_to` is less than the size when the field is not indexed and the scan reached its limit. */
  | { readonly found: false; readonly searched_to: number; readonly facts: FieldFacts | undefined };

/** What finds records: words, meaning, or both. */
export type SearchMode = "lexical" | "semantic" | "hybrid";

export interface SearchRequest {
  readonly query: Query;
  readonly limit: number;
  /** Best first when absent. `newest`: the records that have most of the words, by their time. */
  readonly order?: "relevance" | "newest" | undefined;
  /** Conditions on the records of streams; a stream that is not listed has none. Counts and scores are those of the records that meet them. */
  readonly filters?: readonly StreamFilters[] | undefined;
  readonly after?: SearchPosition | undefined;
  /**
   * By words alone (`lexical`), by meaning alone (`semantic`: signs still decide), or both (`hybrid`, when absent). `semantic` throws
   * `embeddings_unavailable` where nothing compares meaning, and `work_limit_exceeded` where the scope has too many records to compare.
   */
  readonly mode?: SearchMode | undefined;
  /** Counts the matching records by source, month and author too. */
  readonly facets?: boolean | undefined;
}

/** Conditions that the records of one stream of one connection must all meet. */
export interface StreamFilters {
  readonly connection_id: string;
  readonly stream: string;
  readonly filters: readonly ScalarFilter[];
}

export interface SearchPosition {
  /** 0: a record of the rank window, scored with its neighbours; 1: a record after the window. */
  readonly tier: 0 | 1;
  readonly score: number;
  readonly time_ms: number | null;
  readonly tie: number;
  readonly id: string;
}

export interface StoredHit extends StoredRecord {
  readonly score: number;
  /** Fields of the scope that have a match, title first, then in manifest order. */
  readonly matched_fields: readonly string[];
  /** The indexes, in the query, of the clauses that the record matches. */
  readonly matched_clauses: readonly number[];
  readonly proofs: readonly StoredProof[];
  /** Whether a passage of it is similar in meaning. */
  readonly is_similar: boolean;
  readonly position: SearchPosition;
}

/** The result for one word or phrase of a query. */
export interface StoredWord {
  readonly text: string;
  readonly need: QueryClause["need"];
  /** How many records of the scope have it, inflected forms included. */
  readonly count: number;
  /** What was searched instead because no record of the scope has it. */
  readonly widened?: readonly string[];
  /** Set when the other words decide: it weighs too little beside them to be shown as evidence or reported missing. */
  readonly light?: true;
  /** Set when it stands for more terms than one expansion may have: only the first in alphabetical order were searched. */
  readonly cut?: true;
}

/** A match that was verified in the stored text (R11). */
export interface StoredProof {
  readonly provenance: Provenance;
  readonly field_path: string;
  readonly size_chars: number;
  readonly digest: string;
  /** Text around the matches, from `text_start_chars` on. */
  readonly text: string;
  readonly text_start_chars: number;
  /** Offsets in the whole field: those inside `text` first, then other matches to read. */
  readonly matches: readonly { readonly start_chars: number; readonly end_chars: number }[];
}

export interface StoredHits {
  readonly hits: readonly StoredHit[];
  /** How many records of the scope match: exact. */
  readonly count: number;
  /** How many of them have every word that is not light. */
  readonly count_all: number;
  readonly words: readonly StoredWord[];
  readonly has_more: boolean;
  /** Present if not all eligible records were compared by meaning. */
  readonly meaning?: StoredMeaning | undefined;
  readonly facets?: StoredFacets | undefined;
}

/** How many of the matching records each source, month (in UTC) and author has. */
export interface StoredFacets {
  /** False if months and people were counted over the last written records only, because too many match. */
  readonly is_complete: boolean;
  readonly sources: readonly {
    readonly connection_id: string;
    readonly stream: string;
    readonly count: number;
  }[];
  /** The newest first. */
  readonly months: readonly { readonly month: string; readonly count: number }[];
  /** The author field, and its value as a filter compares it. */
  readonly people: readonly { readonly field: string; readonly value: string; readonly count: number }[];
}

/** How many records of the scope were compared by meaning: those that have vectors. `unavailable`: the service failed. */
export interface StoredMeaning {
  readonly state: "partial" | "unavailable" | "off";
  readonly compared: number;
  readonly of: number;
}

export interface BlobFacts {
  readonly blob_id: string;
  readonly sha256: string;
  readonly mime_type: string;
  readonly size_bytes: number;
}

export interface GrantedBlob extends BlobFacts {
  /** A granted record and field that refers to it. */
  readonly via: StoredRef & { readonly field_path: string };
}
