import { roleSchema } from "@rungs/evidence";
import { z } from "zod";
import { readErrorCodes } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { afterFieldParam, connectionParam, streamParam } from "./params.ts";

/** One field and its abilities; a flag is present only when it is true. */
const schemaFieldSchema = z.looseObject({
  name: z.string(),
  path: z.string().describe("Its path for read_record_field, where that is not the name.").optional(),
  type: z.union([z.string(), z.array(z.string())]),
  format: z.string().optional(),
  role: roleSchema.optional(),
  media_type: z.string().optional(),
  searchable: z.literal(true).describe("search looks into it").optional(),
  filterable: z.literal(true).describe("search and query_records can filter by it").optional(),
  aggregatable: z.literal(true).describe("aggregate can group by it and measure it").optional(),
  largest_chars: z.int().min(0).describe("The size of its longest value, if that is long.").optional(),
});

/** One stream of one connection: its fields, limits and size. */
const schemaStreamSchema = z.looseObject({
  connection_id: z.string(),
  stream: z.string(),
  connector_key: z.string().nullable().optional(),
  display_name: z.string().nullable().optional(),
  label: z.string().optional(),
  description: z.string().optional(),
  record_count: z.int().min(0),
  time_range: z
    .strictObject({ first: z.string(), last: z.string() })
    .describe("The times of the oldest and the newest granted record.")
    .optional(),
  granted_time: z
    .strictObject({ since: z.string().optional(), until: z.string().optional() })
    .describe("The grant's limits on time: since is included, until is not.")
    .optional(),
  granted_records: z.int().min(0).describe("How many single records the grant is limited to.").optional(),
  last_updated: z.string().nullable().optional(),
  primary_key: z.array(z.string()),
  time_field: z.string().describe("The field that times and time buckets refer to.").optional(),
  fields: z.array(schemaFieldSchema),
});

/** `schema`: the streams and fields that the grant covers. */
export const schemaOperation = defineOperation({
  name: "schema",
  summary: "Lists the granted streams with their connections, fields, counts and times.",
  method: "GET",
  path: "/v1/schema",
  kind: "client",
  input: z.object({
    stream: streamParam.optional(),
    connection_id: connectionParam,
    after_stream: z
      .string()
      .min(1)
      .max(300)
      .describe("Only the streams after this one, as connection_id/stream.")
      .optional(),
    after_field: afterFieldParam,
  }),
  answer: "json",
  output: z.looseObject({ object: z.literal("schema"), streams: z.array(schemaStreamSchema) }),
  errors: readErrorCodes,
});
