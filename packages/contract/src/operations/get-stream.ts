import { z } from "zod";
import { freshnessSchema } from "../list.ts";
import { streamErrors } from "./error-sets.ts";
import { streamSummarySchema } from "./list-streams.ts";
import { defineOperation } from "./operation.ts";
import { connectionParam, streamParam } from "./params.ts";

/** `get_stream`: what a stream's declaration says, as far as it is granted. */
export const getStreamOperation = defineOperation({
  name: "get_stream",
  summary: "Gives one stream's declaration, as far as the grant covers it.",
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
