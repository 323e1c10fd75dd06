import { z } from "zod";
import { RECORD_PAGE, warningSchema } from "../pagination/pagination.ts";
import { streamErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { connectionParam, filterParam, limitParam, streamParam } from "./params.ts";

/**
 * Whether a name is an IANA time zone, such as Europe/Berlin. An offset such as +05:00 is not: it has no daylight
 * saving.
 */
function isZoneName(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The metrics of an aggregation. */
const metricSchema = z.enum(["count", "count_distinct", "min", "max", "sum", "avg"]);

/** The lengths of time that records can be grouped by; weeks begin on Mondays. */
const timeBucketSchema = z.enum(["minute", "hour", "day", "week", "month", "quarter", "year"]);

const fieldName = z.string().min(1).max(128);
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** `aggregate`: counts and numbers over granted scalar fields. */
export const aggregateOperation = defineOperation({
  name: "aggregate",
  summary: "Counts or measures a stream's records, in total or by group.",
  method: "GET",
  path: "/v1/streams/{stream}/aggregate",
  kind: "client",
  input: z.object({
    stream: streamParam,
    connection_id: connectionParam,
    metric: metricSchema.describe("sum and avg need a number field; count needs none."),
    field: fieldName.describe("The aggregatable field to measure.").optional(),
    group_by: fieldName.describe("An aggregatable field; not with time_bucket.").optional(),
    time_bucket: timeBucketSchema.describe("Groups by the stream's time; not with group_by.").optional(),
    time_zone: z
      .string()
      .max(64)
      .refine(isZoneName, { message: "must be a time zone such as Europe/Berlin" })
      .describe("Where days and hours begin, such as Europe/Berlin; UTC by default. Only with time_bucket.")
      .optional(),
    order: z
      .enum(["value", "group"])
      .describe("value (default): largest first; group: in the order of the groups.")
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
    time_zone: z.string().optional(),
    groups: z.array(z.looseObject({ group: scalar, value: scalar, record_count: z.int().min(0) })),
    has_more: z.boolean(),
    other_record_count: z.int().min(0).describe("The records of groups beyond the limit.").optional(),
    meta: z.looseObject({ warnings: z.array(warningSchema).optional() }).optional(),
  }),
  errors: [...streamErrors, "field_not_granted"],
});
