import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredAuditEntry } from "@rungs/store";
import { groupByPlace, type LogNames, listWholeRequests, renderTarget } from "./audit-rows.ts";

const row = (request_id: string, more: Partial<StoredAuditEntry> = {}): StoredAuditEntry => ({
  audit_id: 1,
  at: "2026-05-01T12:00:00.000Z",
  request_id,
  client_id: "reader",
  operation: "search",
  status: 200,
  bytes: 10,
  ...more,
});
const names: LogNames = {
  nameClient: (id) => id,
  nameStream: (_, stream) => (stream === undefined ? "Mail" : "Mail: Messages"),
};
const write = (more: Partial<StoredAuditEntry>) =>
  String(renderTarget([row("a", more)], names)).replace(/<[^>]*>/g, "");

test("a page of the log ends with a complete request, unless it holds only one", () => {
  const rows = [row("a"), row("b"), row("b"), row("c")];
  assert.deepEqual(listWholeRequests(rows), rows.slice(0, 3));
  assert.deepEqual(listWholeRequests([row("a"), row("a")]).length, 2);
});

test("a place is shown by its names, and a record by both ends of its key", () => {
  const place = { connection_id: "mail", stream: "messages" };
  assert.equal(write({}), "everything");
  assert.equal(write({ stream: "messages" }), "messages of every source");
  assert.equal(write({ connection_id: "mail" }), "Mail");
  assert.equal(write(place), "Mail: Messages");
  assert.equal(write({ ...place, record_id: "m-1" }), "Mail: Messages m-1");
  const read = { ...place, record_id: "m-1", field: "sent_at", range_start: 0, range_end: 1_200 };
  assert.equal(write(read), "Mail: Messages m-1: sent at, characters 0–1,200");
  const other = { ...read, field: "body", range_start: 5, range_end: 9 };
  const rows = groupByPlace([row("a", read), row("a", { ...place, record_id: "m-2" }), row("a", other)]);
  assert.equal(rows.length, 2);
  assert.match(
    String(renderTarget(rows[0]!, names)).replace(/<[^>]*>/g, ""),
    /m-1: sent at, characters 0–1,200; body, characters 5–9$/,
  );
  const key = `${"漢".repeat(20)}${"0".repeat(20)}`;
  assert.equal(write({ ...place, record_id: key }), `Mail: Messages ${"漢".repeat(18)}…${"0".repeat(9)}`);
});
