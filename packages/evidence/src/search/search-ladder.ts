import { gradeSize } from "../record/field-kind.ts";
import type { ContentLadder, LadderField, LadderRecord } from "../record/ladder.ts";
import type { Evidence } from "./evidence.ts";
import type { SearchHit } from "./search-hit.ts";
import { createSnippet } from "./snippet.ts";

/** The content ladder of a page of hits: identity, what was proven, and the calls that go on (R15, R37). */
export function createSearchLadder(hits: readonly SearchHit[]): ContentLadder {
  return { records: hits.map(createHitRung) };
}

function createHitRung({ id, connection_id, stream, record_id, evidence, thread }: SearchHit): LadderRecord {
  const [best] = evidence;
  return {
    id,
    connection_id,
    stream,
    record_id,
    ...(best && { evidence_preview: createSnippet(best).line, evidence_field_path: best.field_path }),
    fields: evidence.map(createEvidenceRung),
    next: { operation: "fetch", args: { id } },
    ...(thread && { thread }),
  };
}

function createEvidenceRung({ field_path, size_chars, truncated, digest, read }: Evidence): LadderField {
  return {
    path: field_path,
    type: "text",
    size_grade: gradeSize(size_chars),
    text_like: true,
    size_chars,
    preview_status: truncated ? "snippet-only" : "complete",
    digest,
    next: read,
  };
}
