import type { StreamShape } from "@rungs/contract";
import {
  createCard,
  createEvidence,
  formatRecordId,
  type Query,
  type RoleFields,
  type SearchHit,
} from "@rungs/evidence";
import type { StoredHit } from "@rungs/store";
import type { Sources } from "../access/sources.ts";

/** How much of a field each piece of evidence shows: short ones whole. */
const PREVIEW_CHARS = 240;
const WHOLE_CHARS = 500;

/** Writes a hit as it goes out: its id, its card by declared roles, and what was proven about it. */
export function describeHit(hit: StoredHit, sources: Sources, query: Query): SearchHit {
  const { connection_id, stream, record_id, data, matched_fields, proofs } = hit;
  const source = sources.get(connection_id);
  const shape = source?.shapes.get(stream);
  const card = shape ? createCard(listRoles(shape), data) : {};
  return {
    object: "search_result",
    id: formatRecordId(hit),
    connection_id,
    connector_key: source?.connector_key ?? null,
    display_name: source?.display_name ?? null,
    stream,
    record_id,
    title: card.title ?? null,
    event_time: card.event_time ?? null,
    author: card.actor ?? null,
    words: hit.matched_clauses.flatMap((at) => query.clauses[at]?.text ?? []),
    matched_fields: [...matched_fields],
    evidence: proofs.map((proof) =>
      createEvidence(hit, proof, {
        preview_chars: proof.size_chars <= WHOLE_CHARS ? WHOLE_CHARS : PREVIEW_CHARS,
      }),
    ),
  };
}

function listRoles({ fields }: StreamShape): RoleFields {
  const roles = Map.groupBy(
    fields.filter(({ role }) => role !== undefined),
    ({ role }) => role,
  );
  return Object.fromEntries([...roles].map(([role, group]) => [role, group.map(({ name }) => name)]));
}
