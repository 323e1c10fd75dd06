/** A page of hits as structured content: flat results, the ladder, and what the envelope has besides (R15, R32, R37). */
import { adviseSearch, findMostDetail } from "@rungs/contract";
import {
  type Continuation,
  compactPage,
  createSearchLadder,
  keepTelling,
  listOtherMatches,
  type SearchHit,
  type SearchPage,
  shrinkHit,
} from "@rungs/evidence";
import { citeRecord, nextPage } from "./answer.ts";
import { countJson, STRUCTURED_BYTES } from "./limits.ts";

/** The passage of a hit in the envelope; the one plain string in the results and in the ladder has a quarter of it. */
const PREVIEW_CHARS = { least: 48, most: 500 };
/** About as long as the rung of a cut field. */
const RUNG_CHARS = 300;
const SCALAR = { share: 4, least_chars: 32 };

/** Previews get shorter until the page has about this size: ten hits in 2,500 tokens. */
const COMFORT = { hits: 10, hit_bytes: 700, frame_bytes: 700 };

/** Structures a page with about the longest previews that leave it small; they shrink before a hit is dropped (R14). */
export function structureHits(whole: SearchPage, call: Continuation, base_url: string | undefined) {
  const page = keepTelling(whole);
  const structure = (preview_chars: number) => structureAt(page, preview_chars, call, base_url);
  const comfort_bytes = COMFORT.frame_bytes + COMFORT.hit_bytes * Math.max(page.data.length, COMFORT.hits);
  const budget_bytes = Math.min(comfort_bytes, STRUCTURED_BYTES);
  const detail = findMostDetail(PREVIEW_CHARS, (chars) => countJson(structure(chars)) <= budget_bytes);
  return structure(detail ?? PREVIEW_CHARS.least);
}

function structureAt(
  page: SearchPage,
  preview_chars: number,
  call: Continuation,
  base_url: string | undefined,
) {
  const hits = page.data.map((hit) => shrinkHit(hit, preview_chars, RUNG_CHARS));
  const scalar_chars = Math.max(SCALAR.least_chars, Math.floor(preview_chars / SCALAR.share));
  const ladder = createSearchLadder(hits, scalar_chars);
  const advice = adviseSearch(page.meta, hits.length, call);
  const results = hits.map((hit, at) => {
    const { evidence_preview } = ladder.records[at] as (typeof ladder.records)[number];
    return createResult(hit, evidence_preview, base_url);
  });
  return {
    results,
    content_ladder: {
      ...ladder,
      ...(advice === undefined ? {} : { advice }),
      ...nextPage(call, page.next_cursor),
    },
    data: compactPage({ ...page, data: hits }),
  };
}

/** One hit as ChatGPT cites it, with who, when and the passage. */
function createResult(hit: SearchHit, evidence_preview: string | undefined, base_url: string | undefined) {
  const { id, title, connection_id, stream, record_id, author, event_time, evidence } = hit;
  const also_in = listOtherMatches(hit);
  return {
    id,
    ...citeRecord(title, { id, connection_id, stream, record_id }, base_url),
    connection_id,
    stream,
    record_id,
    ...(author ? { author } : {}),
    ...(event_time ? { event_time } : {}),
    ...(evidence_preview === undefined
      ? {}
      : { evidence_preview, evidence_field_path: evidence[0]?.field_path }),
    ...(also_in.length === 0 ? {} : { also_in }),
  };
}
