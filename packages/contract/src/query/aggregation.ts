import type { z } from "zod";
import { ApiError } from "../errors/errors.ts";
import type { FieldShape, StreamShape } from "../manifest/stream-shape.ts";
import type { aggregateOperation } from "../operations/aggregate.ts";
import { requireComparable } from "./filter.ts";

type AggregateInput = Pick<
  z.infer<(typeof aggregateOperation)["input"]>,
  "metric" | "field" | "group_by" | "time_bucket" | "time_zone"
>;

/**
 * Throws for an aggregation that is not meaningful, or that uses a field outside `shape`, the granted part of the stream.
 */
export function requireAggregation(input: AggregateInput, shape: StreamShape): void {
  const { metric, field, group_by, time_bucket, time_zone } = input;
  if (metric !== "count" && field === undefined) refuse("field", `is required for ${metric}`);
  if (metric === "count" && field !== undefined) {
    refuse("field", "has no meaning for count; use count_distinct");
  }
  if (field !== undefined) {
    const measured = requireComparable(shape, field, "field");
    if ((metric === "sum" || metric === "avg") && !isNumeric(measured)) {
      refuse("field", `names ${field}, which is not a number`);
    }
  }
  if (group_by !== undefined && time_bucket !== undefined) {
    refuse("time_bucket", "cannot be combined with group_by");
  }
  if (time_zone !== undefined && time_bucket === undefined) refuse("time_zone", "needs time_bucket");
  if (group_by !== undefined) requireComparable(shape, group_by, "group_by");
  if (time_bucket !== undefined && shape.consent_time_field === undefined) {
    refuse("time_bucket", "needs a time field, and none is granted");
  }
}

/** Whether every value of a field is a number or null. */
export function isNumeric({ types }: FieldShape): boolean {
  return types.every((type) => type === "number" || type === "integer" || type === "null");
}

function refuse(param: string, problem: string): never {
  throw new ApiError("invalid_request", { param, message: `${param} ${problem}.` });
}
