import assert from "node:assert/strict";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import {
  createOwner,
  fieldsOf,
  ingest,
  message,
  OWNER,
  refOf,
  scopeOver,
} from "../../../../testing/store/world.ts";
import type { StoredThread } from "../store.ts";
import { measureTraffic } from "./traffic.ts";

const THREE = { before: 3, after: 3 };

testOnEachEngine("R66 the records before and after a record in its thread, in order", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    ...[5, 1, 4, 2, 3].map((day) => talk(`d${day}`, day)),
    talk("same", 3),
    message("other", { label: "elsewhere", sent_at: "2026-01-03T00:00:00Z" }),
    message("alone", { sent_at: "2026-01-03T00:00:00Z" }),
    message("timeless", { label: "talk" }),
  ]);
  const read = (id: string, request = THREE) => store.readThread(scopeOver(), refOf(id), request);

  assert.deepEqual(listIds(await read("d3")), { before: ["d1", "d2"], after: ["same", "d4", "d5"] });
  const near = await read("d3", { before: 1, after: 2 });
  assert.deepEqual(listIds(near), { before: ["d2"], after: ["same", "d4"] });
  assert.deepEqual([near?.has_before, near?.has_after], [true, true]);
  const first = await read("d1", { before: 0, after: 50 });
  assert.deepEqual(listIds(first), { before: [], after: ["d2", "d3", "same", "d4", "d5"] });
  assert.deepEqual([first?.has_before, first?.has_after], [false, false]);
  assert.deepEqual(first?.record.data, { id: "d1", label: "talk", sent_at: "2026-01-01T00:00:00Z" });

  for (const id of ["alone", "timeless"]) {
    const thread = await read(id);
    assert.deepEqual([thread?.visible, listIds(thread)], [false, { before: [], after: [] }], id);
    assert.equal(thread?.record.record_id, id);
  }
  assert.equal(await read("absent"), undefined);

  await ingest(store, [talk("d4", 4, { body: "changed" }), talk("d2", 2, { label: "elsewhere" })]);
  await store.deleteRecord(OWNER, "mail", "messages", "same");
  assert.deepEqual(listIds(await read("d3")), { before: ["d1"], after: ["d4", "d5"] });
});

testOnEachEngine("R51 R66 a thread has only what the scope covers", async ({ store }) => {
  await createOwner(store);
  await ingest(
    store,
    [1, 2, 3, 4, 5, 6].map((day) => talk(`d${day}`, day, { body: "text" })),
  );
  const read = (limits: Parameters<typeof scopeOver>[1]) =>
    store.readThread(scopeOver("messages", limits), refOf("d3"), THREE);

  const time = { since_ms: Date.parse("2026-01-02T00:00:00Z"), until_ms: Date.parse("2026-01-05T00:00:00Z") };
  assert.deepEqual(listIds(await read({ time })), { before: ["d2"], after: ["d4"] });
  assert.equal((await read({ time }))?.has_after, false);
  const picked = await read({ record_ids: ["d1", "d3", "d6"] });
  assert.deepEqual(listIds(picked), { before: ["d1"], after: ["d6"] });
  assert.equal(await read({ record_ids: ["d1"] }), undefined);
  assert.equal(await read({ time: { until_ms: time.since_ms } }), undefined);

  for (const hidden of ["label", "sent_at"]) {
    const thread = await read({ fields: fieldsOf("messages").filter((name) => name !== hidden) });
    assert.deepEqual([thread?.visible, listIds(thread)], [false, { before: [], after: [] }], hidden);
    assert.ok(!(hidden in (thread?.record.data ?? {})));
  }
  const narrow = await read({ fields: ["id", "label", "sent_at"] });
  assert.ok([...(narrow?.before ?? []), ...(narrow?.after ?? [])].every(({ data }) => !("body" in data)));
});

testOnEachEngine(
  "R25 R66 reading around a record costs the same in a thread of any length",
  async ({ store }) => {
    await createOwner(store);
    await ingest(
      store,
      Array.from({ length: 600 }, (_, at) => talk(`m${at}`, 1 + at / 100)),
    );
    for (const id of ["m0", "m300", "m599"]) {
      const { rows } = await measureTraffic(store, () => store.readThread(scopeOver(), refOf(id), THREE));
      assert.ok(rows <= 10, `${id}: ${rows} rows`);
    }
  },
);

function talk(id: string, day: number, data: Readonly<Record<string, unknown>> = {}) {
  const sent_at = new Date(Date.UTC(2026, 0, 1) + (day - 1) * 86_400_000).toISOString().replace(".000", "");
  return message(id, { label: "talk", sent_at, ...data });
}

function listIds(thread: StoredThread | undefined) {
  const ids = (records: StoredThread["before"] = []) => records.map(({ record_id }) => record_id);
  return { before: ids(thread?.before), after: ids(thread?.after) };
}
