import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry } from "@rungs/store";
import { until } from "../../../../testing/until.ts";
import { createRefusalLog } from "./refusal-log.ts";

const refused = (members: Partial<AuditEntry> = {}): AuditEntry => ({
  at: "2026-01-01T00:00:00Z",
  request_id: "r",
  client_id: "c",
  grant_id: "g",
  operation: "fetch",
  status: 403,
  record_id: "asked",
  bytes: 0,
  ...members,
});

test("R59 the first refusals have a row each, and the rest of a window one row with their number", async () => {
  const rows: AuditEntry[] = [];
  const log = createRefusalLog(async (_, some) => void rows.push(...some), 20);
  for (let at = 0; at < 500; at += 1) await log("me", [refused()]);
  await log("me", [refused({ status: 404 })]);
  assert.equal(rows.length, 11, "ten, and one of another status");
  await until(() => rows.length >= 12);
  const combined = rows.at(-1);
  assert.deepEqual([combined?.requests, combined?.status, combined?.record_id], [490, 403, undefined]);
  await log("me", [refused()]);
  assert.equal(rows.length, 13, "a new window");
});
