/** What the owner sees of the whole: how large each stream is, and how much each client read on each day. */
import assert from "node:assert/strict";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createNote, library } from "../../../../testing/library.ts";
import { OWNER } from "../../../../testing/store/world.ts";
import type { AuditEntry, Store } from "../store.ts";

testOnEachEngine("R55 the audit log is summed up by day, client, operation and status", async ({ store }) => {
  await store.putOwner(OWNER);
  const entry = (request_id: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
    at: "2026-05-01T10:00:00.000Z",
    request_id,
    client_id: "reader",
    operation: "search",
    status: 200,
    bytes: 100,
    records: 3,
    ...more,
  });
  await store.appendAudit(OWNER, [
    entry("a"),
    entry("a", { record_id: "n1", records: undefined, bytes: 0 }),
    entry("b", { at: "2026-05-02T23:59:59.999Z" }),
    entry("c", { status: 403, bytes: 0, records: undefined, requests: 4 }),
    entry("d", { progress: "begun" }),
    entry("d", { progress: "ended", bytes: 7, records: 1 }),
  ]);
  const days = await store.summarizeAudit(OWNER, 0);
  const shown = days.map(({ day, status, requests, records, bytes }) => [
    day,
    status,
    requests,
    records,
    bytes,
  ]);
  assert.deepEqual(shown, [
    ["2026-05-01", 200, 2, 4, 107],
    ["2026-05-01", 403, 4, 0, 0],
    ["2026-05-02", 200, 1, 3, 100],
  ]);
  assert.deepEqual(await store.summarizeAudit(OWNER, Date.now() + 60_000), []);
  assert.deepEqual(await store.summarizeAudit(OWNER, 0, Date.now() - 60_000), []);
  await store.appendAudit(OWNER, [entry("e", { client_id: "console" })]);
  const others = await store.listAudit(OWNER, { except_client_ids: ["reader", "owner"], limit: 10 });
  assert.deepEqual(
    others.map(({ request_id }) => request_id),
    ["e"],
  );
});

testOnEachEngine(
  "the size of a stream has its text and its files; of many records a sample is measured",
  async ({ store }) => {
    await store.putOwner(OWNER);
    await store.putManifest(OWNER, library);
    const about = { source_id: library.source.id, declaration_version: "1", display_name: "Home" };
    await store.putConnection(OWNER, { connection_id: "home", ...about });
    await store.ingest(OWNER, "home", [
      createNote("long", { body: "x".repeat(50_000) }),
      createNote("short", {}),
    ]);
    const [small] = await measure(store);
    assert.ok(
      small && small.measured_bytes >= 50_000 && small.measured_bytes < 60_000,
      String(small?.measured_bytes),
    );
    assert.deepEqual([small.file_bytes, small.measured_records], [0, 2]);
    const notes = Array.from({ length: 450 }, (_, at) => createNote(`n${at}`, { body: "y".repeat(1_000) }));
    await store.ingest(OWNER, "home", notes);
    const [large] = await measure(store);
    assert.equal(large?.measured_records, 400, "of 452");
    assert.ok(large.measured_bytes > 400_000 && large.measured_bytes < 700_000);
    assert.deepEqual(await store.measureStreams(OWNER, "elsewhere"), []);
  },
);

async function measure(store: Store) {
  return (await store.measureStreams(OWNER, "home")).filter(({ stream }) => stream === "notes");
}
