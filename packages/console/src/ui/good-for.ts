/** What a source is good for, from what its streams declare: roles and searchable fields, never names. */
import type { Role } from "@rungs/evidence";
import type { SourceSummary, StreamSummary } from "../figures/sources.ts";

type Field = StreamSummary["fields"][number];

/** What questions a source answers, and what a field needs for that. */
const USES: readonly (readonly [string, (field: Field) => boolean])[] = [
  ["full-text search", ({ searchable }) => searchable === true],
  ["conversations", hasRole("thread", "parent")],
  ["who wrote or did what", hasRole("actor")],
  ["who received what", hasRole("recipient")],
  ["dates", hasRole("event-time")],
  ["places", hasRole("place")],
  ["amounts", hasRole("amount")],
];

/** Lists the uses of the streams that have records; of all streams while none has. */
export function listUses({ streams }: Pick<SourceSummary, "streams">): string[] {
  const filled = streams.filter(({ record_count }) => record_count > 0);
  const fields = (filled.length > 0 ? filled : streams).flatMap((stream) => stream.fields);
  return USES.filter(([, isFor]) => fields.some(isFor)).map(([use]) => use);
}

function hasRole(...roles: readonly Role[]): (field: Field) => boolean {
  return ({ role }) => role !== undefined && roles.includes(role);
}
