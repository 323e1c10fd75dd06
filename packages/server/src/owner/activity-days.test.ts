import assert from "node:assert/strict";
import type { AuditDay, AuditEntry, Store } from "@rungs/store";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createActivityReader } from "./activity-days.ts";

const OWNER = "owner";
const HOUR_MS = 60 * 60 * 1000;

testOnEachEngine(
  "R55 each row of the audit log is summed up once, and the sum is that of all rows",
  async ({ store }) => {
    await store.putOwner(OWNER);
    const asked: number[] = [];
    const watched: Store = {
      ...store,
      summarizeAudit(owner_id, since_ms, until_ms) {
        asked.push(since_ms);
        return store.summarizeAudit(owner_id, since_ms, until_ms);
      },
    };
    // The clock is an hour ahead, so that every row counts as settled.
    const now = () => Date.now() + HOUR_MS;
    const read = createActivityReader({ store: watched, owner_id: OWNER, now });
    const append = (...ids: string[]) => store.appendAudit(OWNER, ids.map(createEntry));
    const sums = async () => listSums(await store.summarizeAudit(OWNER, 0));

    await append("a", "b");
    const [first, twin] = await Promise.all([read(30), read(30)]);
    assert.deepEqual([listSums(first), listSums(twin)], [await sums(), await sums()]);
    const start_ms = Math.max(...asked);
    asked.length = 0;
    await append("c");
    await read(30);
    assert.ok(
      asked.every((since_ms) => since_ms >= start_ms),
      "reads on from where it was",
    );
    const late = createActivityReader({ store, owner_id: OWNER, now: Date.now });
    await append("d", "e");
    assert.deepEqual(listSums(await late(30)), await sums(), "rows of this minute too");
  },
);

function createEntry(request_id: string): AuditEntry {
  const at = new Date().toISOString();
  return { at, request_id, client_id: "reader", operation: "search", status: 200, bytes: 10, records: 2 };
}

function listSums(days: readonly AuditDay[]) {
  return days.map(({ client_id, requests, records, bytes }) => [client_id, requests, records, bytes]);
}
