import assert from "node:assert/strict";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import {
  createOwner,
  EMITTED_AT,
  ingest,
  message,
  refOf,
  scopeOver,
} from "../../../../testing/store/world.ts";
import type { ScalarFilter } from "../store.ts";
import { collect, idsOf, PAGE } from "./collect-lists.ts";

testOnEachEngine("records are sorted by the cursor field, then by key", async ({ store }) => {
  await createOwner(store);
  const times = {
    b: "2026-01-02T00:00:00Z",
    a: "2026-01-02T00:00:00Z",
    c: "2026-01-01T00:00:00Z",
    z: "1999-12-31T23:59:59.999Z",
  };
  await ingest(
    store,
    Object.entries(times).map(([id, sent_at]) => message(id, { sent_at })),
  );
  assert.deepEqual(await idsOf(store, scopeOver(), { order: "asc" }), ["z", "c", "a", "b"]);
  assert.deepEqual(await idsOf(store, scopeOver(), { order: "desc" }), ["b", "a", "c", "z"]);
});

testOnEachEngine("records without a cursor value come last, in both directions", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("n1", { sent_at: null }),
    message("m1", { sent_at: "2026-01-01T00:00:00Z" }),
    message("n2"),
    message("m2", { sent_at: "2026-01-02T00:00:00Z" }),
  ]);
  assert.deepEqual(await idsOf(store, scopeOver(), { order: "asc" }), ["m1", "m2", "n1", "n2"]);
  assert.deepEqual(await idsOf(store, scopeOver(), { order: "desc" }), ["m2", "m1", "n2", "n1"]);
});

testOnEachEngine("joined pages are the list, for any page size and order", async ({ store }) => {
  await createOwner(store);
  await ingest(
    store,
    Array.from({ length: 45 }, (_, at) =>
      message(`k${(at * 7) % 45}`, {
        amount: at % 3 === 0 ? null : (at % 5) / 2,
        ...(at % 4 === 0 ? {} : { sent_at: `2026-01-0${1 + (at % 3)}T00:00:00Z` }),
      }),
    ),
  );
  for (const order of ["asc", "desc"] as const) {
    for (const order_by of [undefined, "amount", "id"]) {
      const all = await idsOf(store, scopeOver(), { order, order_by });
      assert.equal(new Set(all).size, 45);
      for (const limit of [1, 4, 44, 45, 46]) {
        assert.deepEqual(
          await collect(store, scopeOver(), { order, order_by, limit }),
          all,
          `${order} ${order_by} ${limit}`,
        );
      }
    }
  }
});

testOnEachEngine(
  "keys and texts sort by code points, numbers by value, times by instant",
  async ({ store }) => {
    await createOwner(store);
    const keys = ["a", "B", "é", "10", "9", "😀", "\uffee", "aa", "a-b"];
    await ingest(
      store,
      keys.map((key) => message(key, { label: key })),
    );
    const byBytes = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(await idsOf(store, scopeOver(), {}), byBytes);
    assert.deepEqual(await idsOf(store, scopeOver(), { order_by: "label" }), byBytes);
    const numbers = [-1e300, -2.5, -1, -0.001, 0, 1e-300, 0.5, 2, 10, 9_007_199_254_740_991, 1e300];
    await ingest(
      store,
      numbers.map((amount, at) => message(`n${at}`, { amount })),
    );
    const filters: ScalarFilter[] = [{ field: "amount", op: ">", value: -Number.MAX_VALUE }];
    assert.deepEqual(
      await idsOf(store, scopeOver(), { order_by: "amount", filters }),
      numbers.map((_, at) => `n${at}`),
    );
    await ingest(store, [
      message("t1", { due: "2026-01-01", sent_at: "2026-01-01T12:00:00+14:00" }),
      message("t2", { due: "2025-12-31", sent_at: "2026-01-01T00:00:00-12:00" }),
      message("t3", { due: "2026-01-02", sent_at: "2026-01-01T06:00:00Z" }),
    ]);
    const timed: ScalarFilter[] = [{ field: "due", op: ">=", value: "2025-01-01" }];
    assert.deepEqual(await idsOf(store, scopeOver(), { filters: timed }), ["t1", "t3", "t2"]);
    assert.deepEqual(await idsOf(store, scopeOver(), { filters: timed, order_by: "due" }), [
      "t2",
      "t1",
      "t3",
    ]);
  },
);

testOnEachEngine("R54 a cursor field outside the scope does not affect the order", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("b", { sent_at: "2026-01-01T00:00:00Z" }),
    message("a", { sent_at: "2026-01-02T00:00:00Z" }),
  ]);
  const scope = scopeOver("messages", { fields: ["id"] });
  assert.deepEqual(await idsOf(store, scope, { order: "asc" }), ["a", "b"]);
  assert.deepEqual(await idsOf(store, scope, { order: "desc" }), ["b", "a"]);
  assert.deepEqual(await collect(store, scope, { order: "desc", limit: 1 }), ["b", "a"]);
});

testOnEachEngine(
  "R51 a list has the scope's records, and the requested ones of its fields",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [
      message("a", { subject: "s", note: "n", sent_at: "2026-01-01T00:00:00Z" }),
      message("b", { subject: "s", note: "n", sent_at: "2026-02-01T00:00:00Z" }),
      message("c", { subject: "s", note: "n" }),
    ]);
    const time = { since_ms: Date.UTC(2026, 0, 1), until_ms: Date.UTC(2026, 1, 1) };
    assert.deepEqual(await idsOf(store, scopeOver("messages", { time }), {}), ["a"]);
    assert.deepEqual(await idsOf(store, scopeOver("messages", { record_ids: ["b", "c", "d"] }), {}), [
      "b",
      "c",
    ]);
    assert.deepEqual(await idsOf(store, scopeOver("messages", { record_ids: [] }), {}), []);
    assert.deepEqual(await idsOf(store, scopeOver("messages", { connection_id: "other" }), {}), []);
    const scope = scopeOver("messages", { fields: ["id", "subject", "made-up"] });
    const { records } = await store.listRecords(scope, { ...PAGE, fields: ["subject", "note", "made-up"] });
    assert.deepEqual(
      records.map(({ data }) => data),
      Array.from({ length: 3 }, () => ({ subject: "s" })),
    );
  },
);

testOnEachEngine("streams are listed by their own cursor fields and keys", async ({ store }) => {
  await createOwner(store);
  const at = [50, 7, 1_700_000_000_000, null];
  await ingest(store, [
    ...at.map((value, number) => ({
      stream: "events",
      key: `e${number}`,
      data: { id: `e${number}`, at: value },
      emitted_at: EMITTED_AT,
    })),
    ...[2, 10, 1].map((number) => ({
      stream: "labels",
      key: ["x", String(number)],
      data: { account: "x", number, name: "n" },
      emitted_at: EMITTED_AT,
    })),
  ]);
  assert.deepEqual(await idsOf(store, scopeOver("events"), { stream: "events" }), ["e1", "e0", "e2", "e3"]);
  assert.deepEqual(await idsOf(store, scopeOver("labels"), { stream: "labels" }), [
    '["x","1"]',
    '["x","10"]',
    '["x","2"]',
  ]);
  assert.deepEqual(
    await idsOf(store, scopeOver("labels"), { stream: "labels", order_by: "number", order: "desc" }),
    ['["x","10"]', '["x","2"]', '["x","1"]'],
  );
  assert.deepEqual((await store.getRecord(scopeOver("labels"), refOf('["x","2"]', "labels")))?.data, {
    account: "x",
    number: 2,
    name: "n",
  });
});
