/** A record as evidence shows it: bounded fields and, where roles are declared, a card. */

import { createCard, type RoleFields, viewRecord } from "@rungs/evidence";
import { cutsOf } from "../record/cuts.ts";
import type { OutgoingRecord } from "../record/record.ts";
import type { PageRecord } from "./page.ts";

/** Views a record with previews of at most `budget_bytes` together. */
export function presentRecord(record: OutgoingRecord, budget_bytes: number): PageRecord {
  const { connection_id, stream, id: record_id, data, shapes = [] } = record;
  const ref = { connection_id, stream, record_id };
  const view = viewRecord({ ref, data, cuts: cutsOf(record), shapes, budget_bytes });
  return { view, card: createCard(rolesOf(shapes), data) };
}

function rolesOf(shapes: NonNullable<OutgoingRecord["shapes"]>): RoleFields {
  const roles = Map.groupBy(shapes, ({ role }) => role ?? "none");
  return Object.fromEntries([...roles].map(([role, group]) => [role, group.map(({ name }) => name)]));
}
