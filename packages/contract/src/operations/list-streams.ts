import { z } from "zod";
import { freshnessSchema, listSchema } from "../list.ts";
import { readErrorCodes } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { connectionParam } from "./params.ts";

/** One stream of one connection in short. */
export const streamSummarySchema = z.looseObject({
  object: z.literal("stream"),
  name: z.string(),
  connection_id: z.string(),
  display_name: z.string().nullable().optional(),
  record_count: z.int().min(0),
  last_updated: z.string().nullable(),
  freshness: freshnessSchema.optional(),
});

/** `list_streams`: the streams that are granted. */
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
