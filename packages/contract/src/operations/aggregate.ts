import { z } from "zod";
import { RECORD_PAGE, warningSchema } from "../pagination/limits.ts";
import { streamErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { connectionParam, filterParam, limitParam, streamParam } from "./params.ts";

/** The metrics of an aggregation. */
const metricSchema = z.enum(["count", "count_distinct", "min", "max", "sum", "avg"]);

/** The lengths of time that records can be grouped by, in UTC. */
const timeBucketSchema = z.enum(["day", "month", "year"]);

const fieldName = z.string().min(1).max(128);
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** `aggregate`: counts and numbers over granted scalar fields. */
export const aggregateOperation = defineOperation({
  name: "aggregate",
  summary: "Counts or measures a stream's records, as a whole or by groups.",
  method: "GET",
  path: "/v1/streams/{stream}/aggregate",
  kind: "client",
  input: z.object({
    stream: streamParam,
    connection_id: connectionParam,
    metric: metricSchema.describe("sum and avg need a number field; count needs none."),
    field: fieldName.describe("The aggregatable field that is measured.").optional(),
    group_by: fieldName.describe("An aggregatable field; not with time_bucket.").optional(),
    time_bucket: timeBucketSchema
      .describe("Groups by the stream's time, in UTC; not with group_by.")
      .optional(),
    filter: filterParam,
    limit: limitParam(RECORD_PAGE),
  }),
  answer: "json",
  output: z.looseObject({
    object: z.literal("aggregate"),
    connection_id: z.string(),
    stream: z.string(),
    metric: metricSchema,
    field: z.string().optional(),
    group_by: z.string().optional(),
    time_bucket: timeBucketSchema.optional(),
    groups: z.array(z.looseObject({ group: scalar, value: scalar, record_count: z.int().min(0) })),
    has_more: z.boolean(),
    meta: z.looseObject({ warnings: z.array(warningSchema).optional() }).optional(),
  }),
  errors: [...streamErrors, "field_not_granted"],
});
