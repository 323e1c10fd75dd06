/** A page of hits as structured content: flat results, the ladder, and what the envelope has besides (R15, R32, R37). */
import { adviseSearch, findMostDetail, offerPeriod } from "@rungs/contract";
import {
  type Continuation,
  compactPage,
  countLongIdBytes,
  createSearchLadder,
  dropAuthorEvidence,
  listOtherMatches,
  type SearchHit,
  type SearchPage,
  shrinkHit,
} from "@rungs/evidence";
import { citeRecord, nextPage } from "./answer.ts";
import { countJson, STRUCTURED_BYTES } from "./limits.ts";
import { shortenRung } from "./shorten-rung.ts";

/**
 * The length of a hit's passage in the envelope; the plain string in the results and in the ladder gets a quarter of
 * it.
 */
const PREVIEW_CHARS = { least: 48, most: 500 };
/** Shorten previews below this only once the page no longer repeats itself. */
const AMPLE_CHARS = { ...PREVIEW_CHARS, least: 120 };
/** Roughly the length of a cut field's rung. */
const RUNG_CHARS = 300;
const SCALAR = { share: 4, least_chars: 32 };

/** Previews get shorter until the page has about this size: ten hits in 2,500 tokens. */
const COMFORT = { hits: 10, hit_bytes: 700, frame_bytes: 700, id_copies: 3 };

/** What a brief page of several hits drops: ids contain the one, windows the other. */
const LEFT_OUT = ["record_id", "digest"];

interface Detail {
  readonly preview_chars: number;
  readonly is_brief: boolean;
}

/**
 * Structures a page with nearly the longest previews that keep it small; shrinks previews before it drops a hit (R14).
 */
export function structureHits(whole: SearchPage, call: Continuation, base_url: string | undefined) {
  const page = dropAuthorEvidence(whole);
  const structure = (detail: Detail) => structureAt(page, detail, call, base_url);
  const comfort_bytes = COMFORT.frame_bytes + COMFORT.hit_bytes * Math.max(page.data.length, COMFORT.hits);
  const findPreview = (range: typeof PREVIEW_CHARS, is_brief: boolean, budget_bytes: number) =>
    findMostDetail(
      range,
      (preview_chars) =>
        countJson(structure({ preview_chars, is_brief })) <= Math.min(budget_bytes, STRUCTURED_BYTES),
    );
  const ample = findPreview(AMPLE_CHARS, false, comfort_bytes);
  if (ample !== undefined) return structure({ preview_chars: ample, is_brief: false });
  const is_brief = page.data.length > 1;
  const budget_bytes = comfort_bytes + COMFORT.id_copies * countLongIdBytes(page.data);
  const preview_chars = findPreview(PREVIEW_CHARS, is_brief, budget_bytes) ?? PREVIEW_CHARS.least;
  return structure({ preview_chars, is_brief });
}

function structureAt(
  page: SearchPage,
  { preview_chars, is_brief }: Detail,
  call: Continuation,
  base_url: string | undefined,
) {
  const hits = page.data.map((hit) => shrinkHit(hit, preview_chars, RUNG_CHARS));
  const scalar_chars = Math.max(SCALAR.least_chars, Math.floor(preview_chars / SCALAR.share));
  const { records, ...ladder } = createSearchLadder(hits, scalar_chars);
  const advice = adviseSearch(page.meta, hits.length, call);
  const period = offerPeriod(page, call);
  return {
    results: hits.map((hit, at) => {
      const { record_id, ...result } = createResult(hit, records[at]?.evidence_preview, base_url);
      return is_brief ? result : { ...result, record_id };
    }),
    content_ladder: {
      records: is_brief ? records.map(shortenRung) : records,
      ...ladder,
      ...(advice === undefined ? {} : { advice }),
      ...(period && { narrow: period.call }),
      ...nextPage(call, page.next_cursor),
    },
    data: compactPage({ ...page, data: hits }, is_brief),
    ...(is_brief && { left_out: LEFT_OUT }),
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
