/** What a search is narrowed to by its parameters (R68): always a part of what the grant covers. */
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
  type StreamScope,
  type StreamShape,
} from "@rungs/contract";
import { formatFieldPath } from "@rungs/evidence";
import type { StreamFilters } from "@rungs/store";
import { type Authority, requireScope } from "../access/authority.ts";
import type { Sources } from "../access/sources.ts";

type SearchInput = InputOf<Operations["search"]>;

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
  const time = requireTimes(input);
  const choices = scope.streams.map((entry) =>
    chooseStream(entry, authority.sources, time, input.filter ?? []),
  );
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

function requireTimes({ since, until }: SearchInput): Times {
  const [since_ms, until_ms] = [since, until].map((time) => parseTimeMs(time));
  if (since_ms !== undefined && until_ms !== undefined && since_ms >= until_ms) {
    throw new ApiError("invalid_request", { param: "until", message: "until must be later than since." });
  }
  return { since_ms, until_ms };
}

function chooseStream(entry: StreamScope, sources: Sources, time: Times, filters: readonly string[]): Choice {
  const shape = sources.get(entry.connection_id)?.shapes.get(entry.stream);
  const isSearchable = shape?.fields.some(
    ({ name, lexical }) => lexical.length > 0 && entry.fields.includes(name),
  );
  if (!shape || !isSearchable) return { entry, reason: "no searchable field is granted" };
  const granted = narrowShape(shape, entry.fields);
  const isTimed = time.since_ms !== undefined || time.until_ms !== undefined;
  if (isTimed && granted.consent_time_field === undefined)
    return { entry, reason: "since and until need a time field, and none is granted" };
  const chosen = applyFilters(entry, granted, filters);
  if ("reason" in chosen || !isTimed) return chosen;
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
