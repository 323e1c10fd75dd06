import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { engines, testOnEachEngine } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { createOwner, EMITTED_AT, ingest, message, scopeOver } from "../../../../testing/store/world.ts";
import type { AggregateRequest, AggregateResult, Store } from "../store.ts";
import { assertRefused } from "./refusals.ts";

type Row = readonly [group: unknown, value: unknown, record_count: number];

const RECORDS = [
  message("a", {
    size_bytes: 1,
    amount: 0.5,
    unread: true,
    label: "red",
    due: "2026-01-01",
    sent_at: "2026-01-31T23:59:59Z",
  }),
  message("b", {
    size_bytes: 2,
    amount: -1,
    unread: true,
    label: "blue",
    due: "2026-01-05",
    sent_at: "2026-02-01T00:00:00Z",
  }),
  message("c", {
    size_bytes: 2,
    amount: null,
    unread: false,
    label: "red",
    due: "2026-01-01",
    sent_at: "2026-02-01T12:00:00+13:00",
  }),
  message("d", { size_bytes: 5, unread: false, label: null, sent_at: "2025-02-01T00:00:00Z" }),
  message("e", {}),
];

testOnEachEngine("each metric covers the records that have a value", async ({ store }) => {
  await createOwner(store);
  await ingest(store, RECORDS);
  const cases: readonly [Partial<AggregateRequest>, unknown][] = [
    [{ metric: "count" }, 5],
    [{ metric: "count_distinct", field: "size_bytes" }, 3],
    [{ metric: "count_distinct", field: "label" }, 2],
    [{ metric: "count_distinct", field: "unread" }, 2],
    [{ metric: "min", field: "size_bytes" }, 1],
    [{ metric: "max", field: "size_bytes" }, 5],
    [{ metric: "sum", field: "size_bytes" }, 10],
    [{ metric: "avg", field: "size_bytes" }, 2.5],
    [{ metric: "min", field: "amount" }, -1],
    [{ metric: "sum", field: "amount" }, -0.5],
    [{ metric: "avg", field: "amount" }, -0.25],
    [{ metric: "min", field: "label" }, "blue"],
    [{ metric: "max", field: "label" }, "red"],
    [{ metric: "min", field: "due" }, "2026-01-01"],
    [{ metric: "max", field: "sent_at" }, "2026-02-01T00:00:00Z"],
    [{ metric: "max", field: "unread" }, true],
    [{ metric: "sum", field: "label" }, null],
  ];
  for (const [request, value] of cases) {
    assert.deepEqual(rowsOf(await aggregate(store, request)), [[null, value, 5]], JSON.stringify(request));
  }
});

testOnEachEngine(
  "groups sort by largest value, then by group; records without a value form a group",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, RECORDS);
    const by = async (request: Partial<AggregateRequest>) => rowsOf(await aggregate(store, request));
    assert.deepEqual(await by({ metric: "count", group_by: "label" }), [
      [null, 2, 2],
      ["red", 2, 2],
      ["blue", 1, 1],
    ]);
    assert.deepEqual(await by({ metric: "sum", field: "size_bytes", group_by: "label" }), [
      [null, 5, 2],
      ["red", 3, 2],
      ["blue", 2, 1],
    ]);
    assert.deepEqual(await by({ metric: "max", field: "amount", group_by: "unread" }), [
      [true, 0.5, 2],
      [null, null, 1],
      [false, null, 2],
    ]);
    assert.deepEqual(await by({ metric: "count", group_by: "size_bytes" }), [
      [2, 2, 2],
      [null, 1, 1],
      [1, 1, 1],
      [5, 1, 1],
    ]);
  },
);

testOnEachEngine("a record is in the group of each value that its list or person has", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("a", { from: { name: "Ana", address: "ana@example.org" } }),
    message("b", { from: { name: "Ana", address: "a@example.com" } }),
    message("c", {}),
  ]);
  const by = async (request: Partial<AggregateRequest>) => rowsOf(await aggregate(store, request));
  assert.deepEqual(await by({ metric: "count", group_by: "from" }), [
    ["Ana", 2, 2],
    [null, 1, 1],
    ["a@example.com", 1, 1],
    ["ana@example.org", 1, 1],
  ]);
  await assertRefused(by({ metric: "count_distinct", field: "from" }), "invalid_request");
  await assertRefused(by({ metric: "count", group_by: "payload" }), "invalid_request");
});

testOnEachEngine("days, months and years are in UTC", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [...RECORDS, message("old", { sent_at: "1965-12-31T23:59:59.999Z" })]);
  const by = async (time_bucket: "day" | "month" | "year") =>
    rowsOf(await aggregate(store, { metric: "count", time_bucket }));
  assert.deepEqual(await by("day"), [
    ["2026-01-31", 2, 2],
    [null, 1, 1],
    ["1965-12-31", 1, 1],
    ["2025-02-01", 1, 1],
    ["2026-02-01", 1, 1],
  ]);
  assert.deepEqual(await by("month"), [
    ["2026-01", 2, 2],
    [null, 1, 1],
    ["1965-12", 1, 1],
    ["2025-02", 1, 1],
    ["2026-02", 1, 1],
  ]);
  assert.deepEqual(await by("year"), [
    ["2026", 3, 3],
    [null, 1, 1],
    ["1965", 1, 1],
    ["2025", 1, 1],
  ]);
});

testOnEachEngine(
  "filters narrow the aggregate, and a limit reports that there is more",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, RECORDS);
    const filters = [{ field: "size_bytes", op: ">=" as const, value: 2 }];
    assert.deepEqual(rowsOf(await aggregate(store, { metric: "count", filters })), [[null, 3, 3]]);
    const nothing = [{ field: "size_bytes", op: ">" as const, value: 99 }];
    assert.deepEqual(rowsOf(await aggregate(store, { metric: "count", filters: nothing })), [[null, 0, 0]]);
    assert.deepEqual(rowsOf(await aggregate(store, { metric: "avg", field: "amount", filters: nothing })), [
      [null, null, 0],
    ]);
    assert.deepEqual(
      rowsOf(await aggregate(store, { metric: "count", group_by: "label", filters: nothing })),
      [],
    );
    const some = await aggregate(store, { metric: "count", group_by: "label", limit: 2 });
    assert.deepEqual([some.groups.length, some.has_more], [2, true]);
    assert.ok(some.other_record_count > 0);
  },
);

test("sums of fractions over many days are the same on both engines, to the last bit", async () => {
  const places = [await engines.sqlite(), await engines.postgres()];
  const stores = await Promise.all(places.map((place) => place.open()));
  try {
    for (const [at, store] of stores.entries()) {
      await createOwner(store);
      await ingest(store, at === 0 ? fractions() : fractions().reverse());
    }
    await analyze(places[1]?.address ?? "");
    for (const metric of ["sum", "avg"] as const) {
      for (const time_bucket of ["day", "month", "year", undefined] as const) {
        const [one, other] = await Promise.all(
          stores.map((store) => aggregate(store, { metric, field: "amount", time_bucket })),
        );
        assert.deepEqual(one, other, `${metric} by ${time_bucket}`);
      }
    }
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await Promise.all(places.map((place) => place.remove()));
  }
});

testOnEachEngine("R54 only granted scalar fields can be aggregated and grouped by", async ({ store }) => {
  await createOwner(store);
  await ingest(store, RECORDS);
  const scope = scopeOver("messages", { fields: ["id", "label"] });
  const ask = (request: Partial<AggregateRequest>) => aggregate(store, request, scope);
  await assertRefused(ask({ metric: "sum", field: "size_bytes" }), "field_not_granted");
  await assertRefused(ask({ metric: "sum", field: "nothing" }), "field_not_granted");
  await assertRefused(ask({ metric: "count", group_by: "size_bytes" }), "field_not_granted");
  await assertRefused(ask({ metric: "count", time_bucket: "day" }), "field_not_granted");
  await assertRefused(
    ask({ metric: "count", filters: [{ field: "unread", op: "=", value: true }] }),
    "field_not_granted",
  );
  await assertRefused(ask({ metric: "min" }), "invalid_request");
  await assertRefused(aggregate(store, { metric: "min", field: "body" }), "invalid_request");
  assert.deepEqual(rowsOf(await ask({ metric: "count", group_by: "label" }))[0], [null, 2, 2]);
});

testOnEachEngine("R51 only records that the scope covers are counted", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    ...RECORDS,
    { stream: "events", key: "e", data: { id: "e", at: 5 }, emitted_at: EMITTED_AT },
  ]);
  const count = async (limits: object) =>
    rowsOf(await aggregate(store, { metric: "count" }, scopeOver("messages", limits)))[0]?.[1];
  assert.equal(await count({ time: { since_ms: Date.UTC(2026, 0, 1) } }), 3);
  assert.equal(await count({ record_ids: ["a", "e", "x"] }), 2);
  const other = await aggregate(store, { metric: "count", connection_id: "work" });
  assert.deepEqual(other, { groups: [], has_more: false, other_record_count: 0 });
});

function aggregate(
  store: Store,
  request: Partial<AggregateRequest>,
  scope = scopeOver(),
): Promise<AggregateResult> {
  return store.aggregate(scope, {
    connection_id: "mail",
    stream: "messages",
    metric: "count",
    limit: 100,
    ...request,
  });
}

function rowsOf({ groups }: AggregateResult): Row[] {
  return groups.map(({ group, value, record_count }) => [group, value, record_count]);
}

/** Analyzes the tables: with statistics, PostgreSQL groups with another plan. */
async function analyze(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("ANALYZE");
  await client.end();
}

/** The same few amounts on many days, a different number of times on each. */
function fractions() {
  const random = new Random(11);
  return random.times(900, (at) => {
    const sent_at = new Date(Date.UTC(2026, random.int(0, 11), random.int(1, 28))).toISOString();
    return message(`k${at}`, { sent_at, amount: random.pick([0.1, 0.7, 1 / 3, -0.2, 1e10 / 7]) });
  });
}
