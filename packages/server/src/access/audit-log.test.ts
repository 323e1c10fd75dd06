import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry, Store } from "@rungs/store";
import { until } from "../../../../testing/until.ts";
import { createAuditLog, createRefusalLog } from "./audit-log.ts";

const row = (request_id: string): AuditEntry => ({
  at: "2026-01-01T00:00:00Z",
  request_id,
  client_id: "c",
  operation: "fetch",
  status: 200,
  bytes: 0,
});

test("R55 batches entries while a write is in flight, and each caller waits for its own", async () => {
  const batches: string[][] = [];
  const gates: (() => void)[] = [];
  const appendAudit: Store["appendAudit"] = async (_, rows) => {
    await new Promise<void>((resolve) => gates.push(resolve));
    batches.push(rows.map(({ request_id }) => request_id));
  };
  const log = createAuditLog({ appendAudit } as Store);
  const first = log("me", [row("1")]);
  await Promise.resolve();
  await Promise.resolve();
  const others = [log("me", [row("2")]), log("me", [row("3"), row("4")])];
  let done = false;
  others[1]?.then(() => {
    done = true;
  });
  gates.shift()?.();
  await first;
  assert.equal(done, false);
  await until(() => gates.length > 0);
  gates.shift()?.();
  await Promise.all(others);
  assert.deepEqual(batches, [["1"], ["2", "3", "4"]]);
});

test("a failed write rejects its own callers and no later ones", async () => {
  let fails = true;
  const appendAudit = () => (fails ? Promise.reject(new Error("full")) : Promise.resolve());
  const log = createAuditLog({ appendAudit } as unknown as Store);
  await assert.rejects(log("me", [row("1")]));
  fails = false;
  await log("me", [row("2")]);
});

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

test("R59 the first refusals of a window get a row each, the rest one row with a count", async () => {
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
