import { clampLimit, parseFilters, RECORD_PAGE, requireAggregation } from "@rungs/contract";
import { requireStream } from "../records/target.ts";
import type { Handler } from "./handler.ts";

/** `aggregate`: counts and numbers over granted scalar fields. */
export const handleAggregate: Handler<"aggregate"> = async ({ settings, authority, input }) => {
  const { metric, field, group_by, time_bucket, filter = [] } = input;
  const { connection_id, stream, scope, shape } = requireStream(authority, input);
  requireAggregation(input, shape);
  const filters = parseFilters(filter, shape);
  const { limit, warnings } = clampLimit(input.limit, RECORD_PAGE);
  const question = { connection_id, stream, metric, field, group_by, time_bucket };
  const { groups, has_more } = await settings.store.aggregate(scope, { ...question, filters, limit });
  return {
    kind: "json",
    body: {
      object: "aggregate",
      ...question,
      groups: groups.map((group) => ({ ...group })),
      has_more,
      ...(warnings.length === 0 ? {} : { meta: { warnings } }),
    },
    reads: [{ connection_id, stream, field }],
  };
};
