import type { Evidence } from "./evidence.ts";
import type { SearchHit, SearchPage, SearchWord } from "./search-hit.ts";

/**
 * Makes the envelope of a page compact: drops what its flat results and its ladder contain, and keeps the hits in the
 * same order. Evidence without a range shows the whole field; without `recall`, the count is exact and every match was
 * ranked. The flat results mark the matches; the ladder has digests, calls and the call for the next page. A brief
 * envelope also drops ids and sizes.
 */
export function compactPage({ data, meta, next_cursor: _, ...page }: SearchPage, is_brief = false) {
  const { words = [], count_accuracy, recall, ...counts } = meta;
  const notable = words.filter(isNotable);
  const isCertain = count_accuracy === "exact" && recall.complete && recall.ranking_scope === "all_matches";
  return {
    ...page,
    data: data.map(({ id, evidence }) => ({
      ...(!is_brief && { id }),
      evidence: evidence.map((one) => compactEvidence(one, is_brief)),
    })),
    sources: listSources(data),
    meta: {
      ...counts,
      ...(isCertain && !recall.not_searched ? {} : { count_accuracy, recall }),
      ...(notable.length === 0 ? {} : { words: notable }),
    },
  };
}

/** A missing, widened, required or excluded word; the others are marked where they occur. */
function isNotable({ need, count, light }: SearchWord): boolean {
  return need !== "wanted" || (count === 0 && !light);
}

function compactEvidence(evidence: Evidence, is_brief: boolean) {
  const { field_path, preview, preview_start_chars, preview_end_chars, size_chars, provenance } = evidence;
  const others = evidence.matches
    .map(({ start_chars }) => start_chars)
    .filter((at) => at < preview_start_chars || at >= preview_end_chars);
  return {
    field_path,
    preview,
    ...(evidence.truncated ? { preview_start_chars, ...(!is_brief && { size_chars }) } : {}),
    ...(others.length === 0 ? {} : { matches_at: others }),
    ...(provenance === "lexical_match" ? {} : { provenance }),
  };
}

/** The labels of each connection, once (R16). */
function listSources(hits: readonly SearchHit[]) {
  const sources = new Map(hits.map((hit) => [hit.connection_id, hit]));
  return [...sources.values()].map(({ connection_id, connector_key, display_name }) => ({
    connection_id,
    ...(connector_key ? { connector_key } : {}),
    ...(display_name ? { display_name } : {}),
  }));
}
