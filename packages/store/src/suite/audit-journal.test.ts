/** Reads are recorded while another process writes, and stay recorded if this process is killed. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { engines, testOnEachEngine } from "../../../../testing/engines.ts";
import { OWNER } from "../../../../testing/store/world.ts";
import type { AuditEntry, Store } from "../store.ts";

testOnEachEngine(
  "R55 reads that two processes record at the same time are all kept, once each",
  async ({ store, place }) => {
    await store.putOwner(OWNER);
    const other = await place.open();
    try {
      const names = Array.from({ length: 600 }, (_, at) => `r${at}`);
      await Promise.all(
        names.map((name, at) => (at % 2 ? store : other).appendAudit(OWNER, [entry(name), entry(name, 1)])),
      );
      for (const each of [store, other]) assert.deepEqual(await requestIds(each), names.toSorted());
    } finally {
      await other.close();
    }
    assert.equal((await store.listAudit(OWNER, { limit: 2_000 })).length, 1_200);
  },
);

test("R55 a read is recorded while another process writes, and listed when that is done (sqlite)", async () => {
  const place = await engines.sqlite();
  const store = await place.open({ busy_ms: 100 });
  try {
    await store.putOwner(OWNER);
    const writer = new DatabaseSync(place.address);
    writer.exec("BEGIN IMMEDIATE");
    await store.appendAudit(OWNER, [entry("meanwhile")]);
    assert.deepEqual(await requestIds(store), []);
    writer.exec("ROLLBACK");
    writer.close();
    assert.deepEqual(await requestIds(store), ["meanwhile"]);
  } finally {
    await store.close();
    await place.remove();
  }
});

test("R55 journaled rows that were not flushed are in the database when it is opened again (sqlite)", async () => {
  const place = await engines.sqlite();
  const killed = await place.open();
  await killed.putOwner(OWNER);
  await killed.appendAudit(OWNER, [entry("before the end")]);
  const again = await place.open();
  try {
    const database = new DatabaseSync(place.address, { readOnly: true });
    assert.deepEqual(
      database
        .prepare("SELECT request_id FROM audit")
        .all()
        .map((row) => row.request_id),
      ["before the end"],
    );
    database.close();
  } finally {
    for (const store of [again, killed]) await store.close();
    await place.remove();
  }
});

async function requestIds(store: Store): Promise<string[]> {
  const rows = await store.listAudit(OWNER, { limit: 2_000 });
  return [...new Set(rows.map(({ request_id }) => request_id))].sort();
}

function entry(request_id: string, bytes = 0): AuditEntry {
  return { at: "2026-01-01T00:00:00Z", request_id, client_id: "c", operation: "fetch", status: 200, bytes };
}
