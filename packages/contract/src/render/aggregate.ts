/** Renders the groups and values of `aggregate`. */
import { type Continuation, formatJsonLine } from "@rungs/evidence";
import type { aggregateOperation } from "../operations/aggregate.ts";
import type { OutputOf } from "../operations/operation.ts";
import { RECORD_PAGE } from "../pagination/limits.ts";
import type { RenderOptions } from "./options.ts";

type Aggregate = OutputOf<typeof aggregateOperation>;
type WriteOptions = Pick<RenderOptions, "write">;

/** Renders one line for each group; values are JSON, so that none can imitate another line of the answer. */
export function renderAggregate(answer: Aggregate, call: Continuation, options: WriteOptions): string {
  const { connection_id, stream, metric, field, group_by, time_bucket, groups } = answer;
  const by = group_by ?? time_bucket;
  const measure = field === undefined ? metric : `${metric} of ${field}`;
  const lines = groups.map(({ group, value, record_count }) => {
    const name = by === undefined ? "all" : formatJsonLine(group);
    return `${name}: ${formatJsonLine(value)} (${record_count} records)`;
  });
  const about = `${measure}${by === undefined ? "" : ` by ${by}`} in ${connection_id}/${stream}.`;
  return [...lines, about, ...renderMore(answer, call, options)].join("\n");
}

function renderMore({ has_more, groups }: Aggregate, call: Continuation, { write }: WriteOptions): string[] {
  if (!has_more) return ["These are all the groups."];
  if (groups.length >= RECORD_PAGE.max) return ["There are more groups; a filter leaves fewer."];
  const more = { ...call, args: { ...call.args, limit: RECORD_PAGE.max } };
  return ["There are more groups.", `more: ${write(more)}`];
}
