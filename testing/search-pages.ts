/** Pages of search results to render. */
import { formatToolCall, TEXT_DEFAULT_BYTES } from "@rungs/contract";
import {
  type Continuation,
  countChars,
  createEvidence,
  identifyRecord,
  type RecordRef,
  type SearchHit,
  type SearchPage,
} from "@rungs/evidence";

export const call: Continuation = { operation: "search", args: { query: "needle" } };
export const options = { write: formatToolCall, fence: "f00", budget_bytes: TEXT_DEFAULT_BYTES };

/** A hit whose text has the word "needle"; without text, a hit with nothing proven. */
export function hitOf(ref: RecordRef, text: string | undefined, labels: Partial<SearchHit> = {}): SearchHit {
  const start_chars = text === undefined ? 0 : countChars(text.slice(0, text.indexOf("needle")));
  const matches = [{ start_chars, end_chars: start_chars + 6 }];
  const proof = {
    field_path: "body",
    size_chars: countChars(text ?? ""),
    digest: "d",
    text: text ?? "",
    text_start_chars: 0,
    matches,
  };
  const evidence = text === undefined ? [] : [createEvidence(ref, proof, { preview_chars: 480 })];
  return { object: "search_result", ...identifyRecord(ref), matched_fields: [], ...labels, evidence };
}

/** A page of hits that has everything. */
export function pageOf(hits: SearchHit[], more: Partial<SearchPage> = {}): SearchPage {
  const recall = { complete: true, ranking_scope: "all_matches", truncated: false } as const;
  return {
    object: "list",
    data: hits,
    has_more: false,
    meta: { count: hits.length, count_accuracy: "exact", recall },
    ...more,
  };
}
