import { ApiError, continueThread, THREAD_REACH, type Thread, VALUE_CHARS } from "@rungs/contract";
import { formatRecordId } from "@rungs/evidence";
import { answerRecords } from "../records/answer-records.ts";
import { describeRecord } from "../records/outgoing-record.ts";
import { requireRecord } from "../records/target.ts";
import { createView } from "../records/value-view.ts";
import type { Handler } from "./handler.ts";

/** `read_thread`: the records before and after a record in its thread (R66). */
export const handleReadThread: Handler<"read_thread"> = async ({ settings, authority, input, path }) => {
  const target = await requireRecord(authority, input, settings.store);
  const { before = THREAD_REACH.default, after = THREAD_REACH.default } = input;
  const { store } = settings;
  const view = createView({ ...input, record_chars: VALUE_CHARS.whole.thread_record }, target.scope, store);
  const load = async (): Promise<Thread> => {
    const request = { before, after, limits: view.limits };
    const thread = await store.readThread(target.scope, target.ref, request);
    if (!thread) throw new ApiError("not_found", { param: "id" });
    const { visible, has_before, has_after } = thread;
    const records = [...thread.before, thread.record, ...thread.after];
    const data = records.map((record) => describeRecord(record, target, view));
    const [first, last] = [data[0], data.at(-1)];
    return {
      object: "thread",
      url: path,
      anchor: formatRecordId(thread.record),
      in_thread: visible,
      data,
      has_before,
      has_after,
      ...(has_before && first && { before: continueThread(first.handle, "before", before) }),
      ...(has_after && last && { after: continueThread(last.handle, "after", after) }),
    };
  };
  return answerRecords(load, ({ data }) =>
    data.map(({ connection_id, stream, id: record_id }) => ({
      connection_id,
      stream,
      record_id,
      records: 1,
    })),
  );
};
