import { z } from "zod";
import { freshnessSchema, listSchema } from "../pagination/pagination.ts";
import { readErrorCodes, streamErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { connectionParam, streamParam } from "./params.ts";

/** A summary of one stream of one connection. */
const streamSummarySchema = z.looseObject({
  object: z.literal("stream"),
  name: z.string(),
  connection_id: z.string(),
  display_name: z.string().nullable().optional(),
  record_count: z.int().min(0),
  last_updated: z.string().nullable(),
  freshness: freshnessSchema.optional(),
});

/** `list_streams`: the granted streams. */
export const listStreamsOperation = defineOperation({
  name: "list_streams",
  summary: "Lists the granted streams with their record counts.",
  method: "GET",
  path: "/v1/streams",
  kind: "client",
  input: z.object({ connection_id: connectionParam }),
  answer: "json",
  output: listSchema(streamSummarySchema),
  errors: readErrorCodes,
});

/** `list_connectors`: the sources of the granted streams. */
export const listConnectorsOperation = defineOperation({
  name: "list_connectors",
  summary: "Lists the sources of the granted streams, each with its streams.",
  method: "GET",
  path: "/v1/connectors",
  kind: "client",
  input: z.object({}),
  answer: "json",
  output: listSchema(
    z.looseObject({
      object: z.literal("connector"),
      connector_id: z.string(),
      source: z.looseObject({ kind: z.string(), id: z.string() }),
      stream_count: z.int().min(0),
      streams: z.array(streamSummarySchema),
    }),
  ),
  errors: readErrorCodes,
});

/** `get_stream`: the granted part of a stream's declaration. */
export const getStreamOperation = defineOperation({
  name: "get_stream",
  summary: "Returns one stream's declaration, as far as the grant covers it.",
  method: "GET",
  path: "/v1/streams/{stream}",
  kind: "client",
  input: z.object({ stream: streamParam, connection_id: connectionParam }),
  answer: "json",
  output: z.looseObject({
    ...streamSummarySchema.shape,
    description: z.string().optional(),
    semantics: z.enum(["append_only", "mutable_state"]),
    schema: z.record(z.string(), z.unknown()).describe("JSON Schema 2020-12 of the granted fields."),
    primary_key: z.array(z.string()),
    cursor_field: z.string().optional(),
    consent_time_field: z.string().optional(),
    selection: z.record(z.string(), z.unknown()).optional(),
    query: z.record(z.string(), z.unknown()).optional(),
    views: z.array(z.looseObject({ id: z.string(), fields: z.array(z.string()) })).optional(),
    relationships: z.array(z.looseObject({ name: z.string() })).optional(),
    freshness: freshnessSchema,
  }),
  errors: streamErrors,
});
