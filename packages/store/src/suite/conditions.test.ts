/** Conditions of a grant and exclusions of the owner, on both engines. The differential test has the random ones. */
import assert from "node:assert/strict";
import type { Condition, ReadScope, StreamScope } from "@rungs/contract";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, removal, scopeOver } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";
import { assertRefused } from "./refusals.ts";

async function listIds(store: Store, limits: Partial<StreamScope>): Promise<string[]> {
  const { records } = await store.listRecords(scopeOver("messages", limits), {
    connection_id: "mail",
    stream: "messages",
    order: "asc",
    limit: 100,
  });
  return records.map(({ record_id }) => record_id);
}

const is = (field: string, value: string): Condition => ({ field, op: "equals", value });

testOnEachEngine(
  "R80 text compares without case, a mailbox by name, address and domain",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [
      message("a", { from: { name: "Dr. Zoë", address: "Zoë Berg <Zoe@Clinic.example>" } }),
      message("b", { from: { name: "Ann", address: "ann@home.example" } }),
      message("c", { label: "TAX 2025" }),
      message("d", { label: null }),
    ]);
    const found: readonly (readonly [Condition, readonly string[]])[] = [
      [is("from", "zoe@clinic.EXAMPLE"), ["a"]],
      [is("from", "@clinic.example"), ["a"]],
      [is("from", "zoë berg"), ["a"]],
      [is("from", "dr. zoe\u0308"), ["a"]],
      [is("from", "clinic.example"), []],
      [is("label", "tax 2025"), ["c"]],
      [{ field: "label", op: "prefix", value: "tax" }, ["c"]],
      [{ field: "label", op: "not_in", values: ["Tax 2025"] }, ["a", "b", "d"]],
      [{ field: "label", op: "absent" }, ["a", "b", "d"]],
      [{ field: "from", op: "present" }, ["a", "b"]],
    ];
    for (const [condition, ids] of found)
      assert.deepEqual(await listIds(store, { where: [condition] }), ids, JSON.stringify(condition));
  },
);

testOnEachEngine("R81 an exclusion hides what a condition allows", async ({ store }) => {
  await createOwner(store);
  await ingest(
    store,
    ["a", "b", "c"].map((id) => message(id, { label: "x", code: id })),
  );
  const never = { conditions: [is("code", "B")], record_ids: ["c"] };
  assert.deepEqual(await listIds(store, { where: [is("label", "x")], never }), ["a"]);
});

testOnEachEngine("R80 a condition that no field can answer selects nothing", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { body: "x", label: "x" })]);
  for (const condition of [
    is("body", "x"),
    is("missing", "x"),
    { field: "body", op: "not_in", values: ["y"] },
    { field: "label", op: "range", gte: "a" },
  ] satisfies Condition[])
    assert.deepEqual(await listIds(store, { where: [condition] }), [], JSON.stringify(condition));
});

testOnEachEngine("R81 a value is found however many a record has", async ({ store }) => {
  await createOwner(store);
  const parts = Array.from({ length: 1_500 }, (_, at) => ({ kind: `guest${at}@party.example` }));
  await ingest(store, [message("a", { parts })]);
  assert.deepEqual(await listIds(store, { where: [is("parts", "guest1499@party.example")] }), ["a"]);
  const never = { conditions: [is("parts", "guest1499@party.example")], record_ids: [] };
  assert.deepEqual(await listIds(store, { never }), []);
});

const follow = (store: Store, scope: ReadScope, since: number) =>
  store.listChanges(scope, { connection_id: "mail", stream: "messages", since, limit: 100 });

testOnEachEngine(
  "R80 a record that leaves the conditions is a deletion to who follows changes",
  async ({ store }) => {
    await createOwner(store);
    await ingest(
      store,
      ["a", "b", "hidden"].map((id) => message(id, { label: id === "hidden" ? "y" : "x" })),
    );
    const scope = scopeOver("messages", { fields: ["id", "subject"], where: [is("label", "X")] });
    const { horizon } = await follow(store, scope, 0);
    await ingest(store, [
      message("a", { label: "y" }),
      removal("messages", "b"),
      message("hidden", { label: "z" }),
      removal("messages", "hidden"),
      message("new", { label: "y" }),
      message("new", { label: "X" }),
    ]);
    const { changes } = await follow(store, scope, horizon);
    assert.deepEqual(
      changes.map((one) => (one.kind === "record" ? one.record.record_id : `${one.record_id} is gone`)),
      ["a is gone", "b is gone", "new"],
    );
  },
);

testOnEachEngine(
  "R73 what deleted records had is gone after a purge; who follows starts over",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a", { label: "x" }), message("b", { label: "x" })]);
    const scope = scopeOver("messages", { where: [is("label", "x")] });
    const { horizon } = await follow(store, scope, 0);
    await ingest(store, [removal("messages", "a")]);
    await store.purge(OWNER);
    const rows: unknown[] = [];
    await store.dump(async (page) => void rows.push(...page.rows), ["former_values"]);
    assert.deepEqual(rows, []);
    await assertRefused(follow(store, scope, horizon), "cursor_expired");
    const everything = await follow(store, scopeOver(), horizon);
    assert.equal(everything.changes.length, 1);
  },
);

testOnEachEngine(
  "R81 who follows changes starts over when the owner's exclusions change",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a")]);
    const { horizon } = await follow(store, scopeOver(), 0);
    const hides = { kind: "record" as const, connection_id: "mail", stream: "messages", record_id: "a" };
    const rule = { rule_id: "r1", created_at: "2026-01-01T00:00:00Z", hides };
    await store.putExclusion(OWNER, rule);
    assert.deepEqual(await store.listExclusions(OWNER), [rule]);
    await assertRefused(follow(store, scopeOver(), horizon), "cursor_expired");
    const again = await follow(store, scopeOver(), 0);
    assert.deepEqual(
      (await follow(store, scopeOver(), again.horizon)).changes,
      [],
      "who started over follows",
    );
    assert.equal(await store.deleteExclusion(OWNER, "r1"), true);
    assert.equal(await store.deleteExclusion(OWNER, "r1"), false);
  },
);
