import { ApiError, createList, RECORD_PAGE } from "@rungs/contract";
import type { Store } from "@rungs/store";
import { changesPages, changesSince, clampLimit, createPager, listPages } from "../cursor/page-cursor.ts";
import { answerRecords } from "../records/answer-records.ts";
import { readHorizon } from "../records/horizon.ts";
import { describeChange, describeRecord } from "../records/outgoing-record.ts";
import { requireStream, type StreamTarget } from "../records/target.ts";
import { createView } from "../records/value-view.ts";
import type { Call, Handler } from "./handler.ts";

type ListCall = Call<"list_records">;

/** `list_records`: the records of a stream in order, or the changes since an earlier list. */
export const handleListRecords: Handler<"list_records"> = async (call) => {
  const target = requireStream(call.authority, call.input);
  const list = call.input.changes_since === undefined ? listInOrder : listChanges;
  const { connection_id, stream } = target;
  return answerRecords(
    () => list(call, target),
    ({ data }) => [{ connection_id, stream, records: data.length }],
  );
};

/** The last page returns `next_changes_since`: the horizon of the first page, so that no change is missed. */
async function listInOrder(call: ListCall, target: StreamTarget) {
  const { settings, input, path, now_ms } = call;
  const { store, sealer } = settings;
  const { order = "desc", fields } = input;
  const { connection_id, stream, scope } = target;
  const pager = createPager(listPages, [...listBindings(call, target), order], { sealer, now_ms });
  const { limit, warnings } = clampLimit(input.limit, RECORD_PAGE);
  const position = input.cursor === undefined ? undefined : pager.open(input.cursor);
  const horizon = position?.horizon ?? (await readHorizon(store, scope, target));
  const after = position?.after;
  const view = createView(input, scope, store);
  const { limits } = view;
  const request = { connection_id, stream, fields, order, limit, after, limits };
  const page = await store.listRecords(scope, request);
  return createList({
    url: path,
    data: page.records.map((record) => describeRecord(record, target, view)),
    warnings,
    count: input.count === "exact" ? await countRecords(store, target) : undefined,
    ...(page.next
      ? { next_cursor: pager.seal({ after: page.next, horizon }) }
      : { next_changes_since: createSessionPager(call, target).seal(horizon) }),
  });
}

async function countRecords(store: Store, { connection_id, stream, scope }: StreamTarget): Promise<number> {
  const request = { connection_id, stream, metric: "count", filters: [], limit: 1 } as const;
  const { groups } = await store.aggregate(scope, request);
  return groups[0]?.record_count ?? 0;
}

/** All pages of a change session share the horizon of the first. */
async function listChanges(call: ListCall, target: StreamTarget) {
  const { settings, input, path, now_ms } = call;
  const { store, sealer } = settings;
  const { changes_since = "", fields } = input;
  for (const param of ["order", "count"] as const) {
    if (input[param] === undefined) continue;
    const message = `${param} cannot be combined with changes_since: changes come in the order in which they happened.`;
    throw new ApiError("invalid_request", { param, message });
  }
  const { connection_id, stream, scope } = target;
  const since = createSessionPager(call, target).open(changes_since);
  const pager = createPager(changesPages, [...listBindings(call, target), since], { sealer, now_ms });
  const { limit, warnings } = clampLimit(input.limit, RECORD_PAGE);
  const position = input.cursor === undefined ? undefined : pager.open(input.cursor);
  const view = createView(input, scope, store);
  const page = await store.listChanges(scope, {
    connection_id,
    stream,
    fields,
    since,
    limit,
    limits: view.limits,
    ...(position ? { horizon: position.horizon, after: { position: position.after } } : {}),
  });
  const { changes, horizon, next } = page;
  return createList({
    url: path,
    data: changes.map((change) => describeChange(change, target, view)),
    warnings,
    ...(next
      ? { next_cursor: pager.seal({ horizon, after: next.position }) }
      : { next_changes_since: createSessionPager(call, target).seal(horizon) }),
  });
}

function createSessionPager(call: ListCall, target: StreamTarget) {
  const { sealer } = call.settings;
  const options = { sealer, now_ms: call.now_ms, param: "changes_since" };
  return createPager(changesSince, listBindings(call, target), options);
}

function listBindings({ authority, input }: ListCall, { connection_id, stream }: StreamTarget): unknown[] {
  return [authority.grant_key, connection_id, stream, input.fields?.toSorted()];
}
