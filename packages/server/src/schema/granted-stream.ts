import assert from "node:assert/strict";
import {
  type FieldShape,
  type ManifestStream,
  narrowShape,
  type ReadScope,
  type StreamScope,
  type StreamShape,
} from "@rungs/contract";
import { formatFieldPath } from "@rungs/evidence";
import type { FieldSize, StreamFacts } from "@rungs/store";
import type { Source, Sources, StreamName } from "../access/authority.ts";

/** The limits and declaration of a stream that the store described, so it is both declared and in scope. */
export interface FoundStream {
  readonly limits: StreamScope;
  readonly source: Source;
  readonly declared: ManifestStream;
  readonly shape: StreamShape;
}

/** Describes one granted stream: its fields and what they support, its size, and the limits of the grant. */
export function describeGrantedStream(
  facts: StreamFacts,
  sizes: readonly FieldSize[],
  scope: ReadScope,
  sources: Sources,
) {
  const { connection_id, stream } = facts;
  const own = sizes.filter((each) => each.connection_id === connection_id && each.stream === stream);
  const largest = new Map(own.map(({ field, largest_chars }) => [field, largest_chars]));
  const { limits, source, declared, shape: whole } = findStream(scope, sources, facts);
  const shape = narrowShape(whole, limits.fields);
  const { label } = declared.display ?? {};
  return {
    connection_id,
    stream,
    ...pickLabels(source),
    ...(label === undefined ? {} : { label }),
    ...(declared.description === undefined ? {} : { description: declared.description }),
    record_count: facts.record_count,
    ...describeTimes(facts, limits),
    ...(limits.record_ids === undefined ? {} : { granted_records: limits.record_ids.length }),
    last_updated: facts.last_updated ?? null,
    primary_key: [...shape.primary_key],
    ...(shape.consent_time_field === undefined ? {} : { time_field: shape.consent_time_field }),
    fields: shape.fields.map((field) => describeField(field, largest.get(field.name))),
  };
}

function pickLabels({ connector_key, display_name }: Source) {
  return { connector_key, display_name };
}

function describeTimes({ time_range }: StreamFacts, { time }: StreamScope) {
  return {
    ...(time_range
      ? { time_range: { first: toTime(time_range.first_ms), last: toTime(time_range.last_ms) } }
      : {}),
    ...(time
      ? {
          granted_time: {
            ...describeTimeLimit("since", time.since_ms),
            ...describeTimeLimit("until", time.until_ms),
          },
        }
      : {}),
  };
}

function describeTimeLimit(
  name: "since" | "until",
  time_ms: number | undefined,
): { since?: string; until?: string } {
  return time_ms === undefined ? {} : { [name]: toTime(time_ms) };
}

function toTime(time_ms: number): string {
  return new Date(time_ms).toISOString();
}

/** Omits false flags and writes a single type without a list: agents read this often, so it stays short. */
function describeField(field: FieldShape, largest_chars: number | undefined) {
  const { name, types, format, role, media_type, lexical, filterable, aggregatable } = field;
  const [type = "any", ...more] = types;
  const path = formatFieldPath([name]);
  return {
    name,
    ...(path === name ? {} : { path }),
    type: more.length === 0 ? type : [...types],
    ...(format === undefined ? {} : { format }),
    ...(role === undefined ? {} : { role }),
    ...(media_type === undefined ? {} : { media_type }),
    ...(lexical.length === 0 ? {} : { searchable: true as const }),
    ...(filterable ? { filterable: true as const } : {}),
    ...(aggregatable ? { aggregatable: true as const } : {}),
    ...(largest_chars === undefined ? {} : { largest_chars }),
  };
}

function findStream(
  { streams }: ReadScope,
  sources: Sources,
  { connection_id, stream }: StreamName,
): FoundStream {
  const limits = streams.find((entry) => entry.connection_id === connection_id && entry.stream === stream);
  const source = sources.get(connection_id);
  const declared = source?.manifest.streams.find(({ name }) => name === stream);
  const shape = source?.shapes.get(stream);
  assert(limits && source && declared && shape, "a described stream is granted and declared");
  return { limits, source, declared, shape };
}
