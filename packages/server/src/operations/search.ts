/** `search`: narrows the grant's scope to what is asked, reads a page of hits, and describes them. */
import {
  ApiError,
  type FieldFilter,
  type FieldShape,
  type InputOf,
  narrowShape,
  type Operations,
  parseFilters,
  parseTimeMs,
  type ReadScope,
  SEARCH_PAGE,
  type StreamScope,
  type StreamShape,
} from "@rungs/contract";
import {
  type Argument,
  formatFieldPath,
  requireQuery,
  type SearchFacets,
  type SearchPage,
} from "@rungs/evidence";
import type { StoredHits, StreamFilters } from "@rungs/store";
import type { AuditedRead } from "../access/audit-log.ts";
import { type Authority, requireScope, type Sources } from "../access/authority.ts";
import { clampLimit, createPager, searchPages } from "../cursor/page-cursor.ts";
import { chooseTellingProof, describeHit, describeSimilar, readFoldedPage } from "../search/hits.ts";
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
  // Like a group of an aggregate, a month or an author may cover a single record.
  const groups = (found.facets?.months.length ?? 0) + (found.facets?.people.length ?? 0);
  const reads = [
    { stream, connection_id, records: Math.max(page.consumed, groups) },
    ...data.flatMap(listReads),
    ...page.folded.flatMap(({ similar }) => similar.map(listRecord)),
  ];
  return { kind: "json", body, reads };
};

/** Everything that a page depends on, except `folded`: a cursor is a position in the hits, folded or not. */
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

/** `newest` order and the counts by source, month and author cover only records that match the words. */
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

/** What a search is narrowed to by its parameters (R68): always a part of what the grant covers. */

/** The part of a grant that a search looks into. */
export interface NarrowedSearch {
  readonly scope: ReadScope;
  readonly filters: readonly StreamFilters[];
  /** Granted streams that are left out, with the reason (R17). */
  readonly not_searched: readonly string[];
  /** Granted fields of the searched streams that may hold text and are not searched, by stream (R17). */
  readonly fields_not_searched: readonly string[];
}

/** A stream of the scope with its granted declaration, or the reason why it is left out. */
type Choice =
  | { readonly entry: StreamScope; readonly filters: readonly FieldFilter[] }
  | { readonly entry: StreamScope; readonly reason: string; readonly error?: ApiError };

/** Narrows the grant's scope to what a search asks for. */
export function narrowSearch(authority: Authority, input: SearchInput): NarrowedSearch {
  const scope = requireScope(authority, { connection_id: input.connection_id, stream: input.stream });
  const asked = { time: requireTimes(input), filters: input.filter ?? [] };
  const choices = scope.streams.map((entry) => chooseStream(entry, authority.sources, asked));
  refuseUselessFilters(choices);
  const kept = choices.filter((one) => "filters" in one);
  return {
    scope: { ...scope, streams: kept.map(({ entry }) => entry) },
    filters: kept
      .filter(({ filters }) => filters.length > 0)
      .map(({ entry: { connection_id, stream }, filters }) => ({ connection_id, stream, filters })),
    fields_not_searched: kept.flatMap(({ entry }) => listUnsearched(entry, authority.sources)),
    not_searched: choices.flatMap((one) =>
      "reason" in one ? [`${one.entry.connection_id}/${one.entry.stream}: ${one.reason}`] : [],
    ),
  };
}

function listUnsearched({ connection_id, stream, fields }: StreamScope, sources: Sources): string[] {
  const shape = sources.get(connection_id)?.shapes.get(stream);
  const names = shape?.fields
    .filter(({ name, lexical }) => lexical.length === 0 && fields.includes(name))
    .filter((field) => mayHoldText(field) && !shape.primary_key.includes(field.name))
    .map(({ name }) => formatFieldPath([name]));
  return names?.length ? [`${connection_id}/${stream}: ${names.join(", ")}`] : [];
}

/** Whether people could look for words in a field: not in times, numbers, identifiers of threads or encoded bytes. */
function mayHoldText({ types, format, encoding, role }: FieldShape): boolean {
  const isText = types.some((type) => type === "string" || type === "object" || type === "array");
  return isText && format === undefined && encoding === undefined && role !== "thread";
}

type Times = NonNullable<StreamScope["time"]>;

function requireTimes({ since, until }: SearchInput): Times | undefined {
  if (since === undefined && until === undefined) return undefined;
  const [since_ms, until_ms] = [since, until].map((time) => parseTimeMs(time));
  if (since_ms !== undefined && until_ms !== undefined && since_ms >= until_ms) {
    throw new ApiError("invalid_request", { param: "until", message: "until must be later than since." });
  }
  return { since_ms, until_ms };
}

function chooseStream(
  entry: StreamScope,
  sources: Sources,
  { time, filters }: { readonly time: Times | undefined; readonly filters: readonly string[] },
): Choice {
  const shape = sources.get(entry.connection_id)?.shapes.get(entry.stream);
  const isSearchable = shape?.fields.some(
    ({ name, lexical }) => lexical.length > 0 && entry.fields.includes(name),
  );
  if (!shape || !isSearchable) return { entry, reason: "no searchable field is granted" };
  if (!time && filters.length === 0) return { entry, filters: [] };
  const granted = narrowShape(shape, entry.fields);
  if (time && granted.consent_time_field === undefined)
    return { entry, reason: "since and until need a time field, and none is granted" };
  const chosen = applyFilters(entry, granted, filters);
  if ("reason" in chosen || !time) return chosen;
  return { ...chosen, entry: { ...entry, time: intersectTimes(entry.time ?? {}, time) } };
}

function applyFilters(entry: StreamScope, granted: StreamShape, filters: readonly string[]): Choice {
  try {
    return { entry, filters: parseFilters(filters, granted) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { entry, reason: "the filter does not fit its granted fields", error };
  }
}

/** A filter must fit at least one of the streams; else it is refused as `query_records` refuses it. */
function refuseUselessFilters(choices: readonly Choice[]): void {
  const errors = choices.flatMap((one) => ("error" in one && one.error ? [one.error] : []));
  const fits = choices.some((one) => "filters" in one);
  const wrong = errors.find(({ code }) => code !== "field_not_granted") ?? errors[0];
  if (wrong && !fits) throw wrong;
}

/** Never wider than either: the later beginning, the earlier end. */
function intersectTimes(granted: Times, asked: Times): Times {
  const since = [granted.since_ms, asked.since_ms].filter((time) => time !== undefined);
  const until = [granted.until_ms, asked.until_ms].filter((time) => time !== undefined);
  return {
    ...(since.length > 0 && { since_ms: Math.max(...since) }),
    ...(until.length > 0 && { until_ms: Math.min(...until) }),
  };
}
