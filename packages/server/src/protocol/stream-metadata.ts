/** Streams as the specification and its published OpenAPI document describe them. */
import {
  type FieldShape,
  isNumeric,
  type Operations,
  type OutputOf,
  type StreamShape,
} from "@rungs/contract";
import type { Authority } from "../access/authority.ts";
import type { Call } from "../operations/handler.ts";
import { requireStream } from "../records/target.ts";

type StreamSummary = OutputOf<Operations["list_streams"]>["data"][number];
type StreamAnswer = OutputOf<Operations["get_stream"]>;
type SchemaStream = OutputOf<Operations["schema"]>["streams"][number];

const RANGE_OPERATORS = ["gte", "gt", "lte", "lt"];

/** The name that a connection has in the published OpenAPI document. */
export const CONNECTION_ALIAS = "connector_instance_id";

/** A stream with its freshness. */
export function summarizeForProtocol(stream: StreamSummary) {
  const { connection_id, last_updated } = stream;
  return { ...stream, [CONNECTION_ALIAS]: connection_id, freshness: describeFreshness(last_updated) };
}

/** Nothing here asks the source again, so the server cannot tell whether its data is still current. */
function describeFreshness(last_updated: string | null | undefined) {
  return { ...(last_updated ? { captured_at: last_updated } : {}), status: "unknown" as const };
}

/** The metadata of a stream: its declaration, and what each granted field supports. */
export function describeMetadata(body: StreamAnswer, { authority, input }: Call<"get_stream">) {
  const { shape } = requireStream(authority, input);
  const names = (supports: (field: FieldShape) => boolean) =>
    shape.fields.filter(supports).map(({ name }) => name);
  const measurable = names(({ aggregatable }) => aggregatable);
  return {
    ...summarizeForProtocol(body),
    object: "stream_metadata",
    query: {
      ...body.query,
      range_filters: Object.fromEntries(
        names(({ filterable }) => filterable).map((name) => [name, RANGE_OPERATORS]),
      ),
      aggregations: {
        count: true,
        count_distinct: measurable,
        group_by: measurable,
        group_by_time: names(({ name }) => name === shape.consent_time_field),
        max: measurable,
        min: measurable,
        sum: names((field) => field.aggregatable && isNumeric(field)),
      },
    },
    expand_capabilities: [],
    field_capabilities: describeFields(shape, body.schema),
    granted_connections: [pickConnection(body)],
  };
}

function pickConnection({
  connection_id,
  display_name,
}: Pick<StreamAnswer, "connection_id" | "display_name">) {
  return { connection_id, ...(display_name ? { display_name } : {}) };
}

/** What each granted field supports. Filters are on a different route than the specification's. */
function describeFields({ fields, consent_time_field }: StreamShape, schema: StreamAnswer["schema"]) {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, unknown>>;
  const capabilities = fields.map((field): [string, object] => {
    const { name, types, role, lexical, filterable, aggregatable } = field;
    const filter = { declared: filterable, usable: false, reason: "not_offered_by_this_route" };
    return [
      name,
      {
        ...(types.length === 1 ? { type: types[0] } : {}),
        ...(role === undefined ? {} : { role }),
        granted: true,
        schema: properties[name] ?? {},
        exact_filter: filter,
        range_filter: { ...filter, operators: filterable ? RANGE_OPERATORS : [] },
        lexical_search: allow(lexical.length > 0),
        semantic_search: allow(lexical.length > 0),
        aggregation: {
          count_distinct: allow(aggregatable),
          group_by: allow(aggregatable),
          group_by_time: allow(name === consent_time_field),
          max: allow(aggregatable),
          min: allow(aggregatable),
          sum: allow(aggregatable && isNumeric(field)),
        },
      },
    ];
  });
  return Object.fromEntries(capabilities);
}

function allow(isOffered: boolean) {
  return { declared: isOffered, usable: isOffered };
}

/** The granted streams by source, and the kind of token. */
export function listConnectors(streams: readonly SchemaStream[], authority: Authority) {
  const { kind, client_id, grants, sources } = authority;
  const bySource = Map.groupBy(streams, ({ connector_key }) => connector_key ?? "");
  return {
    bearer: {
      token_kind: kind,
      scope: kind === "owner" ? "owner" : "grant",
      ...(kind === "client" && { client_id }),
      ...(grants.length === 1 && { grant_id: grants[0]?.grant_id }),
    },
    connectors: [...bySource].map(([connector_id, own]) => ({
      object: "connector",
      connector_id,
      source: findSource(own, sources),
      stream_count: own.length,
      streams: own.map((stream) => describeSchemaStream(stream, findShape(stream, authority))),
    })),
  };
}

function findShape({ stream, connection_id }: SchemaStream, authority: Authority): StreamShape {
  return requireStream(authority, { stream, connection_id }).shape;
}

function findSource([first]: readonly SchemaStream[], sources: Authority["sources"]) {
  return sources.get(first?.connection_id ?? "")?.manifest.source;
}

function describeSchemaStream(stream: SchemaStream, shape: StreamShape) {
  const { last_updated, primary_key, record_count } = stream;
  return {
    object: "stream_metadata",
    name: stream.stream,
    connection_id: stream.connection_id,
    primary_key,
    record_count,
    cursor_field: shape.cursor_field ?? null,
    consent_time_field: shape.consent_time_field ?? null,
    freshness: describeFreshness(last_updated),
    granted_connections: [pickConnection(stream)],
    expand_capabilities: [],
    field_capabilities: describeFields(shape, {}),
  };
}
