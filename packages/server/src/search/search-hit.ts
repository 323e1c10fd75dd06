import { findThread, parseTimeMs, type ReadScope, type StreamShape, seesThreads } from "@rungs/contract";
import {
  type Continuation,
  createCard,
  createEvidence,
  formatFieldPath,
  formatRecordId,
  parseFieldPath,
  type Query,
  type RoleFields,
  type SearchHit,
} from "@rungs/evidence";
import type { SearchMode, StoredHit, StoredProof } from "@rungs/store";
import type { Authority } from "../access/authority.ts";
import type { Sources } from "../access/sources.ts";

/** How much of a field each piece of evidence shows: short ones whole. */
const PREVIEW_CHARS = 240;
const WHOLE_CHARS = 500;

interface HitContext extends Pick<Authority, "sources" | "scope"> {
  readonly query: Query;
  /** The mode that the search named. */
  readonly mode: SearchMode | undefined;
}

/** Writes a hit as it goes out: its id, its card by declared roles, and what was proven about it. */
export function describeHit(hit: StoredHit, { sources, scope, query, mode }: HitContext): SearchHit {
  const { connection_id, stream, record_id, data, matched_fields, proofs } = hit;
  const source = sources.get(connection_id);
  const shape = source?.shapes.get(stream);
  const roles = shape ? listRoles(shape) : {};
  const card = createCard(roles, data);
  const author_field = card.actor && roles.actor?.find((name) => data[name] != null && data[name] !== "");
  const id = formatRecordId(hit);
  return {
    object: "search_result",
    id,
    connection_id,
    connector_key: source?.connector_key ?? null,
    display_name: source?.display_name ?? null,
    stream,
    record_id,
    title: card.title ?? null,
    event_time: card.event_time ?? null,
    emitted_at: hit.emitted_at,
    author: card.actor ?? null,
    ...(author_field && { author_field }),
    words: hit.matched_clauses.flatMap((at) => query.clauses[at]?.text ?? []),
    matched_fields: [...matched_fields],
    evidence: proofs.map((proof) =>
      createEvidence(
        hit,
        { ...proof, mime_type: findMediaType(shape, proof) },
        {
          preview_chars: proof.size_chars <= WHOLE_CHARS ? WHOLE_CHARS : PREVIEW_CHARS,
        },
      ),
    ),
    ...(mode && { retrieval_sources: listRetrievalSources(hit, mode) }),
    ...(shape && isInThread(hit, shape, scope) && { thread: { operation: "read_thread", args: { id } } }),
  };
}

/** A record without any of the words that is not similar either was found by the words of its neighbours. */
function listRetrievalSources({ matched_clauses, is_similar }: StoredHit, mode: SearchMode) {
  const isLexical = mode !== "semantic" && (matched_clauses.length > 0 || !is_similar);
  return [...(isLexical ? ["lexical" as const] : []), ...(is_similar ? ["semantic" as const] : [])];
}

function findMediaType(shape: StreamShape | undefined, { field_path }: StoredProof): string | undefined {
  const path = parseFieldPath(field_path);
  return path?.length === 1 ? shape?.fields.find(({ name }) => name === path[0])?.media_type : undefined;
}

/** Whether the records around a hit can be read: as the store decides it, but without asking it again. */
function isInThread(
  { connection_id, stream, data }: StoredHit,
  shape: StreamShape,
  { streams }: ReadScope,
): boolean {
  const limits = streams.find((each) => each.connection_id === connection_id && each.stream === stream);
  const time = shape.consent_time_field;
  return (
    time !== undefined &&
    seesThreads(shape, new Set(limits?.fields)) &&
    findThread(shape, data) !== undefined &&
    parseTimeMs(data[time]) !== undefined
  );
}

/** How many folded records are named; the call lists them all. */
const SIMILAR_IDS = 10;

/** Describes the hits that fold under one (R67). */
export function describeSimilar(
  hits: readonly StoredHit[],
  open: Continuation & { readonly operation: "search" },
): NonNullable<SearchHit["similar"]> {
  return { count: hits.length, ids: hits.slice(0, SIMILAR_IDS).map(formatRecordId), open };
}

/** The proof that tells hits apart: the first that is not a title, which all messages of a thread may share. */
export function chooseTellingProof({ connection_id, stream, proofs }: StoredHit, sources: Sources) {
  const fields = sources.get(connection_id)?.shapes.get(stream)?.fields ?? [];
  const titles = fields
    .filter(({ role }) => role === "primary-title")
    .map(({ name }) => formatFieldPath([name]));
  return proofs.find(({ field_path }) => !titles.includes(field_path));
}

function listRoles({ fields }: StreamShape): RoleFields {
  const roles = Map.groupBy(
    fields.filter(({ role }) => role !== undefined),
    ({ role }) => role,
  );
  return Object.fromEntries([...roles].map(([role, group]) => [role, group.map(({ name }) => name)]));
}
