import { clampLimit, createList, parseFilters, RECORD_PAGE, requireComparable } from "@rungs/contract";
import { createPager } from "../cursor/page-cursor.ts";
import { queryPages } from "../cursor/page-kinds.ts";
import { describeRecord } from "../records/outgoing-record.ts";
import { requireStream } from "../records/target.ts";
import type { Handler } from "./handler.ts";

/** `query_records`: the records of a stream that meet conditions on granted scalar fields. */
export const handleQueryRecords: Handler<"query_records"> = async (call) => {
  const { settings, authority, input, path, now_ms } = call;
  const { filter = [], fields, order = "desc", order_by } = input;
  const target = requireStream(authority, input);
  const { connection_id, stream, scope, shape } = target;
  const filters = parseFilters(filter, shape);
  if (order_by !== undefined) requireComparable(shape, order_by, "order_by");
  const question = [
    authority.grant_key,
    connection_id,
    stream,
    fields?.toSorted(),
    filter.toSorted(),
    order,
    order_by,
  ];
  const pager = createPager(queryPages, question, { sealer: settings.sealer, now_ms });
  const { limit, warnings } = clampLimit(input.limit, RECORD_PAGE);
  const after = input.cursor === undefined ? undefined : pager.open(input.cursor);
  const request = { connection_id, stream, fields, filters, order, order_by, limit, after };
  const page = await settings.store.listRecords(scope, request);
  const body = createList({
    url: path,
    data: page.records.map((record) => describeRecord(record, target)),
    next_cursor: page.next && pager.seal(page.next),
    warnings,
  });
  return { kind: "json", body, reads: [{ connection_id, stream, records: body.data.length }] };
};
