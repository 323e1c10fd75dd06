/** A record as evidence shows it: bounded fields and, where roles are declared, a card. */
import { cutsOf, type OutgoingRecord } from "@rungs/contract";
import {
  createCard,
  type FieldView,
  type PageRecord,
  type RecordView,
  type RoleFields,
  viewRecord,
} from "@rungs/evidence";

/** Views a record with previews of at most `budget_bytes` together. */
export function presentRecord(record: OutgoingRecord, budget_bytes: number): PageRecord {
  const { connection_id, stream, id: record_id, data, shapes = [] } = record;
  const ref = { connection_id, stream, record_id };
  const view = viewRecord({ ref, data, cuts: cutsOf(record), shapes, budget_bytes });
  return { view: dropDeadEnds(view), card: createCard(rolesOf(shapes), data) };
}

/** Bytes in disguise have no text that a window could be cut from: a call for one would be refused (R33). */
function dropDeadEnds(view: RecordView): RecordView {
  const bytes = new Set(view.fields.filter(({ kind }) => kind === "binary").map(({ path }) => path));
  const reroute = (field: FieldView): FieldView => {
    if (!bytes.has(String(field.next?.args.field_path))) return field;
    if (field.kind === "binary") return { ...field, next: undefined };
    const args = { id: view.record.id, field_path: field.path, offset_chars: 0 };
    return { ...field, next: { operation: "read_record_field", args } };
  };
  return { ...view, fields: view.fields.map(reroute) };
}

function rolesOf(shapes: NonNullable<OutgoingRecord["shapes"]>): RoleFields {
  const roles = Map.groupBy(shapes, ({ role }) => role ?? "none");
  return Object.fromEntries([...roles].map(([role, group]) => [role, group.map(({ name }) => name)]));
}
