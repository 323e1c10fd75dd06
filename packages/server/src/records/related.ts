/** The records that a source declares to belong to a record (R66 has those of its thread). */
import type { OutgoingRecord } from "@rungs/contract";
import { canonicalKey, formatRecordId } from "@rungs/evidence";
import type { Store, StoredRecord } from "@rungs/store";
import type { Authority } from "../access/authority.ts";
import type { RecordTarget } from "./target.ts";

type Related = NonNullable<OutgoingRecord["related"]>;
type Relationship = NonNullable<
  RecordTarget["source"]["manifest"]["streams"][number]["relationships"]
>[number];

/** Lists calls that show the related records which the grant covers; none for a relation without such records. */
export async function listRelated(
  record: StoredRecord,
  target: RecordTarget,
  authority: Authority,
  store: Store,
): Promise<Related> {
  const declared = target.source.manifest.streams.find(({ name }) => name === target.stream);
  const related: Related = [];
  for (const relationship of declared?.relationships ?? []) {
    const read =
      relationship.cardinality === "many"
        ? await findMany(relationship, { record, target, authority, store })
        : relationship.cardinality === "one"
          ? await findOne(relationship, { record, target, authority, store })
          : undefined;
    if (read) related.push({ name: relationship.name, read });
  }
  return related;
}

interface RelatedContext {
  readonly record: StoredRecord;
  readonly target: RecordTarget;
  readonly authority: Authority;
  readonly store: Store;
}

/** The other stream, if the grant covers it in the same connection. */
function findStream({ stream }: Relationship, { target, authority }: RelatedContext) {
  const { connection_id, source } = target;
  const limits = authority.scope.streams.find(
    (each) => each.connection_id === connection_id && each.stream === stream,
  );
  const shape = source.shapes.get(stream);
  return limits && shape && { limits, shape, scope: { ...authority.scope, streams: [limits] } };
}

async function findMany(relationship: Relationship, context: RelatedContext) {
  const { stream, foreign_key: field = "" } = relationship;
  const { record, target, store } = context;
  const other = findStream(relationship, context);
  const isFilterable = other?.shape.fields.some((each) => each.name === field && each.filterable);
  if (!other?.limits.fields.includes(field) || !isFilterable) return undefined;
  const { connection_id } = target;
  const filters = [{ field, op: "=" as const, value: record.record_id }];
  const request = { connection_id, stream, fields: [], filters, order: "asc" as const, limit: 1 };
  const { records } = await store.listRecords(other.scope, request);
  if (records.length === 0) return undefined;
  const filter = [`${field}=${record.record_id}`];
  return { operation: "query_records", args: { stream, connection_id, filter } };
}

async function findOne(relationship: Relationship, context: RelatedContext) {
  const { stream, foreign_key: field = "" } = relationship;
  const { record, target, store } = context;
  const other = findStream(relationship, context);
  const held = record.data[field];
  const record_id =
    typeof held === "string" || typeof held === "number" ? canonicalKey(String(held)) : undefined;
  if (!other || record_id === undefined) return undefined;
  const ref = { connection_id: target.connection_id, stream, record_id };
  const found = await store.getRecord(other.scope, ref, []);
  return found && { operation: "fetch", args: { id: formatRecordId(ref) } };
}
