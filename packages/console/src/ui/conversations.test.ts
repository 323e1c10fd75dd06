import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredAuditEntry } from "@rungs/store";
import { findConversations } from "./conversations.ts";

let audit_id = 100;
const row = (minute: number, more: Partial<StoredAuditEntry> = {}): StoredAuditEntry => ({
  audit_id: audit_id--,
  at: new Date(Date.UTC(2026, 4, 1, 12, minute)).toISOString(),
  request_id: `r${audit_id}`,
  client_id: "reader",
  grant_id: "g1",
  operation: "search",
  status: 200,
  bytes: 10,
  ...more,
});

test("a long pause, another client or another grant begins another conversation", () => {
  const rows = [
    row(90),
    row(80),
    row(45, { grant_id: "g2" }),
    row(40, { client_id: "other" }),
    row(10),
    row(9),
  ];
  const found = findConversations(rows).map(({ client_id, grant_id, requests }) => [
    client_id,
    grant_id,
    requests,
  ]);
  assert.deepEqual(found, [
    ["reader", "g1", 2],
    ["reader", "g2", 1],
    ["other", "g1", 1],
    ["reader", "g1", 2],
  ]);
});

test("rows of one request count once, a 409 is not a refusal, and events belong to none", () => {
  const rows = [
    row(3, { operation: "grant_created" }),
    row(2, { request_id: "same", operation: "fetch" }),
    row(2, { request_id: "same", operation: "fetch" }),
    row(1, { status: 409 }),
    row(0, { status: 403 }),
  ];
  const [one, ...others] = findConversations(rows);
  assert.deepEqual([one?.requests, one?.searches, one?.refused, one?.bytes, others.length], [3, 2, 1, 40, 0]);
});
