/** The oracle's list of changes, computed by replaying every write. */
import type { ReadScope, StreamScope } from "@rungs/contract";
import {
  type Covered,
  differingFields,
  type Held,
  type Oracle,
  type WriteEvent,
} from "../../../../testing/store/oracle.ts";

export type OracleChange =
  | { readonly kind: "record"; readonly held: Held; readonly event: number }
  | { readonly kind: "tombstone"; readonly record_id: string; readonly event: number };

/** Changes in the scope's view of a stream since the first `since` writes: records by their last visible change, and tombstones. */
export function changesSince(
  oracle: Oracle,
  scope: ReadScope,
  at: { connection_id: string; stream: string; fields?: readonly string[] | undefined },
  since: number,
): OracleChange[] {
  const covered = oracle.coverOne(scope, at);
  if (!covered) return [];
  const { limits, granted, records } = covered;
  const fields = at.fields ? new Set(at.fields.filter((field) => granted.has(field))) : granted;
  const inside = (held: Held) => oracle.covers(scope.owner_id, held, limits);
  const shown = new Map<string, OracleChange>();
  for (const [event, write] of oracle.eventsOf(scope.owner_id).entries()) {
    if (event < since || !isOf(write, limits)) continue;
    const { record_id } = write.ref;
    const held = records.find(({ ref }) => ref.record_id === record_id);
    if (held && shows(write, fields, inside)) shown.set(record_id, { kind: "record", held, event });
    if (!held && leaves(write, covered, inside) && !oracle.forgotten.has(write)) {
      shown.set(record_id, { kind: "tombstone", record_id, event });
    }
  }
  return [...shown.values()].sort((a, b) => a.event - b.event);
}

function isOf({ ref }: WriteEvent, { connection_id, stream }: StreamScope): boolean {
  return ref.connection_id === connection_id && ref.stream === stream;
}

/** Whether a write of a record that the scope covers now is visible: the record is new, entered the scope, or a field changed. */
function shows(
  { before, after }: WriteEvent,
  fields: ReadonlySet<string>,
  inside: (held: Held) => boolean,
): boolean {
  if (!after) return false;
  if (!before || (!inside(before) && inside(after))) return true;
  return differingFields(before.data, after.data).some((field) => fields.has(field));
}

/** Whether a write may have moved the record out of the scope: it was deleted, or its time or a value to select by changed. */
function leaves({ before, after }: WriteEvent, { shape }: Covered, inside: (held: Held) => boolean): boolean {
  if (!before || !inside(before)) return false;
  if (!after || before.time_ms !== after.time_ms) return true;
  const changed = differingFields(before.data, after.data);
  return shape.fields.some(({ name, filterable }) => filterable && changed.includes(name));
}
