import { ApiError, clampLimit, type InputOf, type Operations, SEARCH_PAGE } from "@rungs/contract";
import { type Argument, requireQuery, type SearchFacets, type SearchPage } from "@rungs/evidence";
import type { StoredHits } from "@rungs/store";
import type { AuditedRead } from "../access/audit-log.ts";
import type { Authority } from "../access/authority.ts";
import { createPager, searchPages } from "../cursor/page-cursor.ts";
import { chooseTellingProof, describeHit, describeSimilar, readFoldedPage } from "../search/hits.ts";
import { type NarrowedSearch, narrowSearch } from "../search/narrow-search.ts";
import type { Handler } from "./handler.ts";

type SearchInput = InputOf<Operations["search"]>;

/** `search`: the records that answer a question best, with proven evidence (R10–R18, R60–R63, R67, R68). */
export const handleSearch: Handler<"search"> = async ({ settings, authority, input, path, now_ms }) => {
  const { order, folded = true, facets, mode } = input;
  requireMode(input);
  const query = requireQuery(input.q);
  const narrowed = narrowSearch(authority, input);
  const { scope, filters } = narrowed;
  const pager = createPager(searchPages, listBindings(authority, input), { sealer: settings.sealer, now_ms });
  const { limit, warnings } = clampLimit(input.limit, SEARCH_PAGE);
  const after = input.cursor === undefined ? undefined : pager.open(input.cursor);

  const { sources } = authority;
  const page = await readFoldedPage(
    settings.store,
    scope,
    { query, limit, order, filters, after, facets, mode },
    folded ? (hit) => chooseTellingProof(hit, sources) : undefined,
  );
  const data = page.folded.map(({ hit, similar, span }) => ({
    ...describeHit(hit, { sources, scope: authority.scope, query, mode }),
    ...(similar.length > 0 && { similar: describeSimilar(similar, repeatUnfolded(input, span)) }),
  }));
  const { found, has_more, last } = page;
  const body: SearchPage = {
    object: "list",
    url: path,
    data,
    has_more,
    ...(has_more && last ? { next_cursor: pager.seal(last.position) } : {}),
    meta: { ...describeFound(found, narrowed), ...(warnings.length === 0 ? {} : { warnings }) },
    ...(found.facets && { facets: structuredClone(found.facets) as SearchFacets }),
  };
  const [stream, connection_id] = [input.stream, input.connection_id].map((names) =>
    names?.length === 1 ? names[0] : undefined,
  );
  const reads = [
    { stream, connection_id, records: page.consumed },
    ...data.flatMap(listReads),
    ...page.folded.flatMap(({ similar }) => similar.map(listRecord)),
  ];
  return { kind: "json", body, reads };
};

/** Everything that a page depends on, except `folded`: a cursor is a place in the hits, folded or not. */
function listBindings({ grant_key }: Authority, input: SearchInput): unknown[] {
  const { q, stream, connection_id, since, until, filter, order = "relevance", mode } = input;
  return [
    grant_key,
    q,
    stream?.toSorted(),
    connection_id?.toSorted(),
    since,
    until,
    filter?.toSorted(),
    order,
    ...(mode === undefined || mode === "hybrid" ? [] : [mode]),
  ];
}

/** Newest first and counts by source, month and author are of records that have the words. */
function requireMode({ mode, order, facets }: SearchInput): void {
  if (mode !== "semantic") return;
  const param = order === "newest" ? "order" : facets ? "facets" : undefined;
  if (param === undefined) return;
  const message = `${param}: does not go with mode=semantic, which looks for no words.`;
  throw new ApiError("invalid_request", { param, message });
}

/** The call that lists the same hits one by one, up to the last that folds under one of them. */
function repeatUnfolded(
  { q, limit: _limit, folded: _folded, facets: _facets, ...rest }: SearchInput,
  span: number,
) {
  const { stream, connection_id, ...others } = rest;
  const args = {
    query: q,
    stream: stream?.join(","),
    connection_id: connection_id?.join(","),
    ...others,
    folded: false,
    limit: Math.min(span, SEARCH_PAGE.max),
  };
  const given = Object.entries(args).filter((entry): entry is [string, Argument] => entry[1] !== undefined);
  return { operation: "search" as const, args: Object.fromEntries(given) };
}

function describeFound(
  found: StoredHits,
  { not_searched, fields_not_searched }: NarrowedSearch,
): SearchPage["meta"] {
  const cut_words = found.words.filter(({ cut }) => cut);
  const isCut = cut_words.length > 0;
  const isFewer = cut_words.every(({ need }) => need !== "excluded");
  return {
    count: found.count,
    count_with_all_words: found.count_all,
    words: found.words.map(({ text, need, count, widened, light, cut }) => ({
      word: text,
      need,
      count,
      ...(widened && { widened_to: [...widened] }),
      ...(light && { light }),
      ...(cut && { cut }),
    })),
    count_accuracy: !isCut ? "exact" : isFewer ? "lower_bound" : "estimated",
    recall: {
      complete: !isCut,
      ranking_scope: isCut ? "candidate_window" : "all_matches",
      truncated: isCut,
      ...(not_searched.length === 0 ? {} : { not_searched: [...not_searched] }),
      ...(fields_not_searched.length === 0 ? {} : { fields_not_searched: [...fields_not_searched] }),
    },
    ...(found.meaning && { meaning: { ...found.meaning } }),
  };
}

function listRecord({ connection_id, stream, record_id }: AuditedRead): AuditedRead {
  return { connection_id, stream, record_id };
}

/** Each piece of text that a hit shows is recorded as a separate read (R55). */
function listReads({
  connection_id,
  stream,
  record_id,
  evidence,
}: SearchPage["data"][number]): AuditedRead[] {
  const record = { connection_id, stream, record_id };
  if (evidence.length === 0) return [record];
  return evidence.map(({ field_path: field, preview_start_chars, preview_end_chars }) => ({
    ...record,
    field,
    range_start: preview_start_chars,
    range_end: preview_end_chars,
  }));
}
