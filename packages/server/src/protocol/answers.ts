/** The specification's members of an answer, beside ours. Where one name has two meanings, the specification's wins. */
import {
  type OperationName,
  type Operations,
  type OutputOf,
  operations,
  RECORD_PAGE,
  writeCall,
} from "@rungs/contract";
import { clampLimit } from "../cursor/page-cursor.ts";
import type { Call, GuardedName } from "../operations/handler.ts";
import { requireStream } from "../records/target.ts";
import { describeMetadata, listConnectors, summarizeForProtocol } from "./stream-metadata.ts";

type Answer<Name extends OperationName> = OutputOf<Operations[Name]>;

const answers: {
  readonly [Name in GuardedName]?: (body: Answer<Name>, call: Call<Name>) => object;
} = {
  schema: (body, { authority, request }) => ({
    ...body,
    ...describeDetail(request),
    ...listConnectors(body.streams, authority),
  }),
  list_connectors: ({ data, ...list }) => ({
    ...list,
    data: data.map(({ streams, ...connector }) => ({
      ...connector,
      streams: streams.map(summarizeForProtocol),
    })),
  }),
  list_streams: ({ data, ...list }) => ({ ...list, data: data.map(summarizeForProtocol) }),
  get_stream: (body, call) => describeMetadata(body, call),
  search: ({ data, ...page }, { input }) => ({
    ...page,
    data: data.map((hit) => ({ ...describeHit(hit), ...describeMode(input.mode) })),
  }),
  read_record_field: describeWindow,
  aggregate: describeAggregation,
};

/** Adds the specification's members to an answer. */
export function addProtocolMembers<Name extends GuardedName>(
  name: Name,
  body: Answer<Name>,
  call: Call<Name>,
): unknown {
  return answers[name]?.(body, call) ?? body;
}

/** There is only one schema, and it is compact. */
function describeDetail({ url }: Request) {
  const { searchParams } = new URL(url);
  const detail = searchParams.get("view") ?? searchParams.get("detail");
  return detail === "compact" ? { detail } : {};
}

function describeHit(hit: Answer<"search">["data"][number]) {
  const [first] = hit.evidence;
  return {
    ...hit,
    record_key: hit.record_id,
    connector_id: hit.connector_key,
    record_url: formatRecordUrl(hit),
    ...(first && { snippet: { field: first.field_path, text: first.preview } }),
    evidence_excerpts: hit.evidence.map(({ field_path, preview, truncated }) => ({
      field_path,
      preview_text: preview,
      truncated,
    })),
  };
}

function describeMode(mode: string | undefined) {
  return mode === undefined || mode === "lexical" ? {} : { retrieval_mode: mode };
}

function formatRecordUrl({ connection_id, stream, record_id: id }: Answer<"search">["data"][number]): string {
  const { path, query } = writeCall(operations.fetch, { connection_id, stream, id });
  const search = new URLSearchParams();
  for (const [name, value] of query) search.append(name, value);
  return `${path}?${search}`;
}

/** A window by offsets, for clients that continue at `next_offset_chars`. */
function describeWindow({ window, ...body }: Answer<"read_record_field">) {
  const { start_chars, end_chars, limit_chars, match } = window;
  const total_chars = body.field.size_chars ?? end_chars;
  const has_more = end_chars < total_chars;
  return {
    ...body,
    stream: body.record.stream,
    record_id: body.record.record_id,
    window: {
      ...window,
      total_chars,
      has_more,
      next_offset_chars: has_more ? end_chars : null,
      previous_offset_chars: start_chars > 0 ? Math.max(0, start_chars - limit_chars) : null,
      match_start_chars: match?.start_chars ?? null,
      match_end_chars: match?.end_chars ?? null,
    },
  };
}

function describeAggregation(
  { groups, ...body }: Answer<"aggregate">,
  { input, authority }: Call<"aggregate">,
) {
  const { shape } = requireStream(authority, input);
  const isGrouped = input.group_by !== undefined || input.time_bucket !== undefined;
  const isTimed = body.time_bucket !== undefined;
  const other_count = body.other_record_count ?? 0;
  const records = groups.reduce((sum, { record_count }) => sum + record_count, other_count);
  return {
    ...body,
    object: "aggregation",
    field: body.field ?? null,
    group_by: body.group_by ?? null,
    group_by_time: body.time_bucket === undefined ? null : (shape.consent_time_field ?? null),
    granularity: body.time_bucket ?? null,
    time_zone: body.time_bucket === undefined ? null : (body.time_zone ?? "UTC"),
    approximate: false,
    filtered_record_count: records,
    ...(isGrouped
      ? { limit: clampLimit(input.limit, RECORD_PAGE).limit, other_count }
      : { value: groups[0]?.value ?? null }),
    groups: groups.map((group) => ({
      ...group,
      key: isTimed ? formatStart(group.group) : group.group,
      count: group.record_count,
    })),
  };
}

/** Completes the name of a period to its first day or minute: 2026-05 and 2026-Q2 to a date, 2026-05-01T09 to a time. */
function formatStart(group: unknown): unknown {
  if (typeof group !== "string") return group;
  const [, year, quarter] = /^(\d{4})-Q([1-4])$/.exec(group) ?? [];
  if (quarter !== undefined) return `${year}-${String(Number(quarter) * 3 - 2).padStart(2, "0")}-01`;
  return group + ({ 4: "-01-01", 7: "-01", 13: ":00:00", 16: ":00" }[group.length] ?? "");
}
