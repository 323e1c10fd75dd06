/** What a source is good for, from what its streams declare: roles and searchable fields, never names. */
import type { Role } from "@rungs/evidence";
import type { SourceSummary, StreamSummary } from "../figures/sources.ts";

type Field = StreamSummary["fields"][number];

/** What a person can do, and what a field needs for that. The first in the list come first. */
const USES: readonly (readonly [string, (field: Field) => boolean])[] = [
  ["searching its text", ({ searchable }) => searchable === true],
  ["following conversations", hasRole("thread", "parent")],
  ["finding who wrote or did something", hasRole("actor")],
  ["finding what was sent to somebody", hasRole("recipient")],
  ["finding when something was", hasRole("event-time")],
  ["finding where something was", hasRole("place")],
  ["adding up amounts", hasRole("amount")],
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
