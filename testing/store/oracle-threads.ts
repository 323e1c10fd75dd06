/** The oracle for threads: filters all records of a stream, and sorts them. */
import type { ReadScope, StreamShape } from "@rungs/contract";
import type { StoredRef, ThreadRequest } from "@rungs/store";
import type { Covered, Held, Oracle } from "./oracle.ts";

/** A record and the records around it in its thread. */
interface OracleThread {
  readonly visible: boolean;
  readonly record: Held;
  readonly before: readonly Held[];
  readonly after: readonly Held[];
  readonly has_before: boolean;
  readonly has_after: boolean;
}

/** The expected answer of the store's `readThread`. */
export function readThread(
  oracle: Oracle,
  scope: ReadScope,
  ref: StoredRef,
  { before, after }: ThreadRequest,
): OracleThread | undefined {
  const covered = oracle.coverOne(scope, ref);
  const record = covered?.records.find((held) => held.ref.record_id === ref.record_id);
  if (!covered || !record) return undefined;
  const thread = listThread(covered, record);
  const place = thread.indexOf(record);
  const start = Math.max(0, place - before);
  return {
    visible: thread.length > 0,
    record,
    before: thread.slice(start, Math.max(0, place)),
    after: thread.slice(place + 1, place + 1 + after),
    has_before: start > 0,
    has_after: thread.length > place + 1 + after,
  };
}

/** The covered records of a record's thread, in order; none where the thread is hidden or there is none. */
function listThread({ shape, granted, records }: Covered, record: Held): Held[] {
  const name = findThread(shape, record.data);
  const needed = [shape.fields.find(({ role }) => role === "thread")?.name, shape.consent_time_field];
  if (name === undefined || record.time_ms === null) return [];
  if (needed.some((field) => field === undefined || !granted.has(field))) return [];
  return records
    .filter(({ data, time_ms }) => time_ms !== null && findThread(shape, data) === name)
    .sort((a, b) => Number(a.time_ms) - Number(b.time_ms) || a.place - b.place);
}

/** The name of the thread that a record is in. */
export function findThread(
  { fields }: StreamShape,
  data: Readonly<Record<string, unknown>>,
): string | undefined {
  const field = fields.find(({ role }) => role === "thread")?.name;
  const value = field && data[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}
