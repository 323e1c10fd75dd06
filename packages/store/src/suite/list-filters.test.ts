import assert from "node:assert/strict";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, removal, scopeOver } from "../../../../testing/store/world.ts";
import type { ScalarFilter } from "../store.ts";
import { idsOf, PAGE } from "./collect-lists.ts";
import { assertRefused } from "./refusals.ts";

testOnEachEngine("each comparison filters each type", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("a", { size_bytes: 1, amount: -0.5, unread: true, label: "red", due: "2026-01-01", code: "x y" }),
    message("b", { size_bytes: 2, amount: 0, unread: false, label: "Red", due: "2026-01-02", code: "x" }),
    message("c", { size_bytes: 3, amount: 0.5, unread: true, label: "rot", due: "2026-01-03", code: "" }),
    message("none", { amount: null, label: null }),
  ]);
  const table: readonly [ScalarFilter["field"], ScalarFilter["value"], Record<ScalarFilter["op"], string>][] =
    [
      ["size_bytes", 2, { "=": "b", "!=": "ac", "<": "a", "<=": "ab", ">": "c", ">=": "bc" }],
      ["size_bytes", 2.5, { "=": "", "!=": "abc", "<": "ab", "<=": "ab", ">": "c", ">=": "c" }],
      ["amount", 0, { "=": "b", "!=": "ac", "<": "a", "<=": "ab", ">": "c", ">=": "bc" }],
      ["amount", -0, { "=": "b", "!=": "ac", "<": "a", "<=": "ab", ">": "c", ">=": "bc" }],
      ["label", "red", { "=": "a", "!=": "bc", "<": "b", "<=": "ab", ">": "c", ">=": "ac" }],
      ["label", "r", { "=": "", "!=": "abc", "<": "b", "<=": "b", ">": "ac", ">=": "ac" }],
      ["due", "2026-01-02", { "=": "b", "!=": "ac", "<": "a", "<=": "ab", ">": "c", ">=": "bc" }],
      ["code", "x", { "=": "b", "!=": "ac", "<": "c", "<=": "bc", ">": "a", ">=": "ab" }],
      ["code", "", { "=": "c", "!=": "ab", "<": "", "<=": "c", ">": "ab", ">=": "abc" }],
    ];
  for (const [field, value, wanted] of table) {
    for (const [op, ids] of Object.entries(wanted) as [ScalarFilter["op"], string][]) {
      const found = await idsOf(store, scopeOver(), { filters: [{ field, op, value }], order_by: "id" });
      assert.equal(found.join(""), ids, `${field} ${op} ${value}`);
    }
  }
  for (const [op, value, ids] of [
    ["=", true, "ac"],
    ["=", false, "b"],
    ["!=", true, "b"],
  ] as const) {
    assert.equal(
      (await idsOf(store, scopeOver(), { filters: [{ field: "unread", op, value }] })).join(""),
      ids,
    );
  }
  const both: ScalarFilter[] = [
    { field: "size_bytes", op: ">", value: 1 },
    { field: "unread", op: "=", value: true },
  ];
  assert.deepEqual(await idsOf(store, scopeOver(), { filters: both }), ["c"]);
});

testOnEachEngine("a filter treats different spellings of one instant as equal", async ({ store }) => {
  await createOwner(store);
  const same = ["2026-01-01T10:00:00Z", "2026-01-01T12:00:00+02:00", "2026-01-01T10:00:00.000Z"];
  await ingest(store, [
    ...same.map((sent_at, at) => message(`s${at}`, { sent_at })),
    message("other", { sent_at: "2026-01-01T10:00:00.001Z" }),
  ]);
  for (const value of same) {
    const equal = await idsOf(store, scopeOver(), { filters: [{ field: "sent_at", op: "=", value }] });
    assert.deepEqual(new Set(equal), new Set(["s0", "s1", "s2"]));
    assert.deepEqual(await idsOf(store, scopeOver(), { filters: [{ field: "sent_at", op: "!=", value }] }), [
      "other",
    ]);
    assert.deepEqual(
      await idsOf(store, scopeOver(), { filters: [{ field: "sent_at", op: "<", value }] }),
      [],
    );
  }
});

testOnEachEngine(
  "a long value can be compared in filters, and leaves nothing behind when deleted",
  async ({ store }) => {
    await createOwner(store);
    const long = "m".repeat(3_000);
    await ingest(store, [
      message("long", { label: long, code: "c".repeat(6_000) }),
      message("wide", {
        label: long,
        ...Object.fromEntries(
          ["subject", "body", "note", "code", "raw"].map((name) => [name, "w".repeat(4_000)]),
        ),
        payload: { x: "p".repeat(4_000) },
        parts: [{ text: "q".repeat(4_000) }],
        from: { name: "f".repeat(4_000) },
      }),
      message("short", { label: "m", code: "c" }),
    ]);
    const ids = (op: ScalarFilter["op"], value: string) =>
      idsOf(store, scopeOver(), { filters: [{ field: "label", op, value }], order_by: "id" });
    assert.deepEqual(await ids(">", "m"), ["long", "wide"]);
    assert.deepEqual(await ids("=", "m".repeat(1_000)), []);
    assert.deepEqual(await ids("<", "n"), ["long", "short", "wide"]);
    await assertRefused(ids("=", long), "invalid_request");
    await ingest(store, [
      message("long", { label: "x" }),
      removal("messages", "wide"),
      message("short", { code: "d".repeat(5_000) }),
    ]);
    assert.deepEqual(await ids(">", "m"), ["long"]);
    assert.deepEqual(await store.check(OWNER), []);
    await ingest(store, [removal("messages", "short"), removal("messages", "long")]);
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine(
  "R54 a filter or an order by a field outside the scope is refused, whether or not it exists",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a", { label: "secret" })]);
    const scope = scopeOver("messages", { fields: ["id", "subject"] });
    for (const field of ["label", "nothing"]) {
      const filters: ScalarFilter[] = [{ field, op: "=", value: "secret" }];
      await assertRefused(store.listRecords(scope, { ...PAGE, filters }), "field_not_granted");
      await assertRefused(store.listRecords(scope, { ...PAGE, order_by: field }), "field_not_granted");
    }
    for (const field of ["body", "payload"]) {
      const filters: ScalarFilter[] = [{ field, op: "=", value: "secret" }];
      await assertRefused(store.listRecords(scopeOver(), { ...PAGE, filters }), "invalid_request");
      await assertRefused(store.listRecords(scopeOver(), { ...PAGE, order_by: field }), "invalid_request");
    }
  },
);
