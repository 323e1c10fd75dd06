/** Operations on records, except `list_records`, which also lists changes. */
import {
  ApiError,
  createList,
  type InputOf,
  type Operations,
  parseFilters,
  RECORD_PAGE,
  requireAggregation,
  requireComparable,
} from "@rungs/contract";
import { identifyRecord, orderFields, requireWindowSelector } from "@rungs/evidence";
import type { Store } from "@rungs/store";
import { clampLimit, createPager, queryPages } from "../cursor/page-cursor.ts";
import { answerRecords } from "../records/answer-records.ts";
import { describeRecord } from "../records/outgoing-record.ts";
import { listRelated } from "../records/related.ts";
import { type RecordTarget, requireRecord, requireStream } from "../records/target.ts";
import { createView } from "../records/value-view.ts";
import { requireField } from "../window/field-target.ts";
import { readWindow } from "../window/read-window.ts";
import type { Handler } from "./handler.ts";

/** `fetch`: one record. */
export const handleFetch: Handler<"fetch"> = async ({ settings: { store }, authority, input }) => {
  const target = await requireRecord(authority, input, store);
  const view = createView(input, target.scope, store);
  const load = async () => {
    const fields =
      input.after_field === undefined ? input.fields : await listFieldsAfter(target, input, store);
    const record = await store.getRecord(target.scope, target.ref, fields, view.limits);
    if (!record) throw new ApiError("not_found", { param: "id" });
    const related = await listRelated(record, target, authority, store);
    const described = await describeRecord(record, target, view);
    return related.length === 0 ? described : { ...described, related };
  };
  return answerRecords(load, () => [{ ...target.ref, records: 1 }]);
};

/** The fields of a record after `after_field`, in the order of answers. */
async function listFieldsAfter(
  { scope, ref, shape }: RecordTarget,
  { fields, after_field = "" }: InputOf<Operations["fetch"]>,
  store: Store,
): Promise<string[]> {
  const record = await store.getRecord(scope, ref, fields);
  const roleOf = new Map(shape.fields.map(({ name, role }) => [name, role]));
  const names = orderFields(Object.keys(record?.data ?? {}), (name) => roleOf.get(name));
  const at = names.indexOf(after_field);
  if (record && at < 0) {
    const message = "after_field: the record has no such granted field.";
    throw new ApiError("invalid_request", { param: "after_field", message });
  }
  return names.slice(at + 1);
}

/** `read_record_field`: a bounded window of one field's text (R20–R28). */
export const handleReadRecordField: Handler<"read_record_field"> = async (call) => {
  const { settings, authority, input, now_ms } = call;
  const { store, sealer, known_texts } = settings;
  const selector = requireWindowSelector(input);
  const target = await requireField(authority, input, store);
  const { field, window } = await readWindow(target, selector, { store, sealer, known_texts, now_ms });
  const { start_chars: range_start, end_chars: range_end } = window;
  return {
    kind: "json",
    body: { object: "field_window", record: identifyRecord(target.ref), field, window },
    reads: [{ ...target.ref, field: field.path, range_start, range_end }],
  };
};

/** `query_records`: the records of a stream that match filters on granted scalar fields. */
export const handleQueryRecords: Handler<"query_records"> = async (call) => {
  const { settings, authority, input, path, now_ms } = call;
  const { filter = [], fields, order = "desc", order_by } = input;
  const target = requireStream(authority, input);
  const { connection_id, stream, scope, shape } = target;
  const filters = parseFilters(filter, shape);
  if (order_by !== undefined) requireComparable(shape, order_by, "order_by");
  const binding = [
    authority.grant_key,
    connection_id,
    stream,
    fields?.toSorted(),
    filter.toSorted(),
    order,
    order_by,
  ];
  const pager = createPager(queryPages, binding, { sealer: settings.sealer, now_ms });
  const { limit, warnings } = clampLimit(input.limit, RECORD_PAGE);
  const after = input.cursor === undefined ? undefined : pager.open(input.cursor);
  const view = createView(input, scope, settings.store);
  const { limits } = view;
  const request = { connection_id, stream, fields, filters, order, order_by, limit, after, limits };
  const load = async () => {
    const page = await settings.store.listRecords(scope, request);
    return createList({
      url: path,
      data: page.records.map((record) => describeRecord(record, target, view)),
      next_cursor: page.next && pager.seal(page.next),
      warnings,
    });
  };
  return answerRecords(load, ({ data }) => [{ connection_id, stream, records: data.length }]);
};

/** `aggregate`: counts, sums and other metrics over granted scalar fields. */
export const handleAggregate: Handler<"aggregate"> = async ({ settings, authority, input }) => {
  const { metric, field, group_by, time_bucket, time_zone, order, filter = [] } = input;
  const { connection_id, stream, scope, shape } = requireStream(authority, input);
  requireAggregation(input, shape);
  const filters = parseFilters(filter, shape);
  const { limit, warnings } = clampLimit(input.limit, RECORD_PAGE);
  const request = { connection_id, stream, metric, field, group_by, time_bucket, time_zone };
  const found = await settings.store.aggregate(scope, { ...request, order, filters, limit });
  const { groups, has_more, other_record_count } = found;
  // A group may hold a single record, a minimum or maximum is the value of one, and a filter may leave one to sum: all
  // count against a budget.
  const isNumber = metric === "count" || metric === "count_distinct";
  const showsValues = (group_by ?? time_bucket) !== undefined || !isNumber;
  return {
    kind: "json",
    body: {
      object: "aggregate",
      ...request,
      groups: groups.map((group) => ({ ...group })),
      has_more,
      ...(has_more && { other_record_count }),
      ...(warnings.length === 0 ? {} : { meta: { warnings } }),
    },
    reads: [{ connection_id, stream, field, ...(showsValues && { records: groups.length }) }],
  };
};

/** `delete_record`: deletes a record for the owner and leaves a tombstone. */
export const handleDeleteRecord: Handler<"delete_record"> = async ({
  settings: { store },
  authority,
  input,
}) => {
  const { ref } = await requireRecord(authority, input, store);
  const deleted = await store.deleteRecord(authority.owner_id, ref.connection_id, ref.stream, ref.record_id);
  if (!deleted) throw new ApiError("not_found", { param: "id" });
  return { kind: "empty", status: 204, reads: [{ ...ref, records: 1 }] };
};
