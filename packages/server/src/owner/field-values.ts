/** The values of a field, each with its number of records: the owner picks from them to narrow a grant. */
import { ApiError, ownerScope } from "@rungs/contract";
import { readSources } from "../access/authority.ts";
import { recordAggregate } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";

/** A value, and how many records have it. */
export interface CountedValue {
  readonly value: string | boolean;
  readonly record_count: number;
}

/** The values of a field. */
export interface FieldValues {
  /** The most frequent first. Empty where counting every record would take too long. */
  readonly values: readonly CountedValue[];
  readonly is_counted: boolean;
}

interface FieldPlace {
  readonly connection_id: string;
  readonly stream: string;
  readonly field: string;
}

/** Counting reads every record: only for small streams. */
const COUNTED_RECORDS = 20_000;
const MAX_VALUES = 20_000;
const NOT_COUNTED: FieldValues = { values: [], is_counted: false };

/** Counts the values of a field that are true, false or a text that is not empty; audited as a read by the owner. */
export async function listFieldValues(
  owner: OwnerContext,
  { connection_id, stream, field }: FieldPlace,
): Promise<FieldValues> {
  const { store, owner_id } = owner;
  const scope = ownerScope(owner_id, [...(await readSources(store, owner_id)).values()]);
  const streams = scope.streams.filter(
    (each) => each.connection_id === connection_id && each.stream === stream,
  );
  const [facts] = await store.describeStreams({ owner_id, streams });
  if (!facts || facts.record_count > COUNTED_RECORDS) return NOT_COUNTED;
  const request = { connection_id, stream, metric: "count", group_by: field, limit: MAX_VALUES } as const;
  const found = await store.aggregate({ owner_id, streams }, request).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "work_limit_exceeded") return undefined;
    throw error;
  });
  if (!found) return NOT_COUNTED;
  await recordAggregate(owner, { connection_id, stream, field, records: facts.record_count });
  const values = found.groups.flatMap(({ group, record_count }) =>
    typeof group === "boolean" || (typeof group === "string" && group !== "")
      ? [{ value: group, record_count }]
      : [],
  );
  return { values, is_counted: true };
}
