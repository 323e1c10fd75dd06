import type { Continuation } from "../continuation.ts";
import { gradeSize } from "../record/field-kind.ts";
import type { ContentLadder, LadderField, LadderRecord } from "../record/ladder.ts";
import { countBytes } from "../text/code-points.ts";
import type { Evidence } from "./evidence.ts";
import type { SearchHit } from "./search-hit.ts";
import { createSnippet } from "./snippet.ts";

/** Calls that a page of hits shows once, for its first record. */
export interface Openings {
  readonly open?: Continuation;
  /** For the first record in a thread. */
  readonly around?: Continuation;
  /** For an empty page: what is granted. */
  readonly granted?: Continuation;
}

/** The calls that open any hit of a page, with the id of the first. */
export function listOpenings(hits: readonly SearchHit[]): Openings {
  const [first] = hits;
  const thread = hits.find((hit) => hit.thread && isExample(hit.id))?.thread;
  if (!first) return { granted: { operation: "schema", args: {} } };
  return { ...openRecord(first.id), ...(thread && { around: thread }) };
}

/** The call that shows a whole record, as an example of how ids are used; none with a very long id. */
export function openRecord(id: string | undefined): { open?: Continuation } {
  return id !== undefined && isExample(id) ? { open: { operation: "fetch", args: { id } } } : {};
}

const EXAMPLE_ID_BYTES = 400;

function isExample(id: string): boolean {
  return countBytes(id) <= EXAMPLE_ID_BYTES;
}

const ORDINARY_ID_BYTES = 30;

/** How many bytes longer than usual the ids of a page are, which must not shorten any preview. */
export function countLongIdBytes(hits: readonly SearchHit[]): number {
  return hits.reduce((sum, { id }) => sum + Math.max(0, countBytes(id) - ORDINARY_ID_BYTES), 0);
}

/**
 * The content ladder of a page of hits: for each hit its id, what was proven, and for each cut field its kind and the call that
 * reads on (R15, R37). A field without a rung is shown whole in the envelope; `preview_chars` bounds the one plain string of
 * each hit.
 */
export function createSearchLadder(
  hits: readonly SearchHit[],
  preview_chars?: number,
): ContentLadder & Openings {
  return { records: hits.map((hit) => createHitRung(hit, preview_chars)), ...listOpenings(hits) };
}

function createHitRung(
  { id, evidence, similar }: SearchHit,
  preview_chars: number | undefined,
): LadderRecord {
  const [best] = evidence;
  return {
    id,
    ...(best && { evidence_preview: createSnippet(best, preview_chars).line }),
    fields: evidence.filter(({ truncated }) => truncated).map(createEvidenceRung),
    ...(!best && { next: { operation: "fetch", args: { id } } }),
    ...(similar && { similar: { count: similar.count, open: similar.open } }),
  };
}

/** The rung of a cut field. A small field is one window: it needs neither grade nor digest. */
function createEvidenceRung({ field_path, mime_type, size_chars, digest, read }: Evidence): LadderField {
  const size_grade = gradeSize(size_chars);
  return {
    path: field_path,
    type: "text",
    ...(mime_type === undefined ? {} : { mime_type }),
    ...(size_grade === "small" ? {} : { size_grade, text_like: true, digest }),
    size_chars,
    preview_status: "snippet-only",
    next: read,
  };
}
