/** Renders the groups and values of `aggregate`. */
import { type Continuation, countChars, formatJsonLine, sliceChars } from "@rungs/evidence";
import type { aggregateOperation } from "../operations/aggregate.ts";
import type { OutputOf } from "../operations/operation.ts";
import { RECORD_PAGE } from "../pagination/pagination.ts";
import type { RenderOptions } from "./options.ts";

type Aggregate = OutputOf<typeof aggregateOperation>;
type WriteOptions = Pick<RenderOptions, "write">;

/** Renders one line for each group; values are JSON, so that none can imitate another line of the answer. */
export function renderAggregate(answer: Aggregate, call: Continuation, options: WriteOptions): string {
  const { connection_id, stream, metric, field, group_by, time_bucket, groups } = answer;
  const by = group_by ?? time_bucket;
  const measure = field === undefined ? metric : `${metric} of ${field}`;
  const lines = groups.map(({ group, value, record_count, group_chars, value_chars }) => {
    const name = by === undefined ? "all" : renderCut(group, group_chars);
    return `${name}: ${renderCut(value, value_chars)} (${record_count} records)`;
  });
  const about = `${measure}${by === undefined ? "" : ` by ${by}`} in ${connection_id}/${stream}.`;
  return [...lines, about, ...renderMore(answer, call, options)].join("\n");
}

/** Cuts names of groups and values that are longer than `chars`, and says how long they are. */
export function shortenGroups(answer: Aggregate, chars: number): Aggregate {
  const groups = answer.groups.map(({ group, value, ...rest }) => ({
    group: shorten(group, chars),
    value: shorten(value, chars),
    ...rest,
    ...(isLong(group, chars) && { group_chars: countChars(group) }),
    ...(isLong(value, chars) && { value_chars: countChars(value) }),
  }));
  return { ...answer, groups };
}

/** Keeps the first `count` groups, and says how many are left out. */
export function dropGroups(answer: Aggregate, count: number): Aggregate {
  const groups = answer.groups.slice(0, count);
  return { ...answer, groups, groups_left_out: answer.groups.length - count };
}

function isLong(value: unknown, chars: number): value is string {
  return typeof value === "string" && countChars(value) > chars;
}

function shorten<V>(value: V, chars: number): V | string {
  return isLong(value, chars) ? `${sliceChars(value, 0, chars)}…` : value;
}

function renderCut(value: unknown, size_chars: unknown): string {
  const shown = formatJsonLine(value);
  return typeof size_chars === "number" ? `${shown} (of ${size_chars} chars)` : shown;
}

function renderMore(answer: Aggregate, call: Continuation, { write }: WriteOptions): string[] {
  const { has_more, groups, groups_left_out } = answer;
  if (typeof groups_left_out === "number")
    return [`${groups_left_out} groups did not fit here; a filter leaves fewer.`];
  if (!has_more) return ["These are all the groups."];
  if (groups.length >= RECORD_PAGE.max) return ["There are more groups; a filter leaves fewer."];
  const more = { ...call, args: { ...call.args, limit: RECORD_PAGE.max } };
  return ["There are more groups.", `more: ${write(more)}`];
}
