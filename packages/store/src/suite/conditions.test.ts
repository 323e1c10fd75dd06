/** Conditions of a grant and exclusions of the owner, on both engines. The differential test has the random ones. */
import assert from "node:assert/strict";
import type { Condition, ReadScope, StreamScope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
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

testOnEachEngine("R80 a condition on a field that no record has selects nothing", async ({ store }) => {
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

testOnEachEngine("R81 a value is found however many values a record has", async ({ store }) => {
  await createOwner(store);
  const parts = Array.from({ length: 1_500 }, (_, at) => ({ kind: `guest${at}@party.example` }));
  await ingest(store, [message("a", { parts })]);
  assert.deepEqual(await listIds(store, { where: [is("parts", "guest1499@party.example")] }), ["a"]);
  const never = { conditions: [is("parts", "guest1499@party.example")], record_ids: [] };
  assert.deepEqual(await listIds(store, { never }), []);
});

testOnEachEngine("R17 R80 hidden records do not take the places of neighbours", async ({ store }) => {
  const at = (minute: number) => `2026-01-01T00:0${minute}:00Z`;
  const talk = (id: string, minute: number, body: string, code = "in") =>
    message(id, { body, label: "t", code, sent_at: at(minute) });
  const shown = [talk("a", 1, "kiln kiln"), talk("b", 5, "glaze glaze"), talk("c", 6, "plain words")];
  const hidden = [2, 3, 4].map((minute) => talk(`h${minute}`, minute, "nothing", "out"));
  await createOwner(store);
  await ingest(store, shown);
  const never = { conditions: [is("code", "out")], record_ids: [] };
  const limits = [
    { where: [is("code", "in")] },
    { never },
    { never: { conditions: [], record_ids: ["h2", "h3", "h4"] } },
  ];
  const scores = async (each: Partial<StreamScope>) => {
    const request = { query: requireQuery("kiln glaze"), limit: 10 };
    const { hits } = await store.search(scopeOver("messages", each), request);
    return hits.map(({ record_id, score }) => [record_id, score]);
  };
  const before = await scores({});
  assert.equal(before.length, 2);
  await ingest(store, hidden);
  for (const each of limits) assert.deepEqual(await scores(each), before, JSON.stringify(each));
});

testOnEachEngine(
  "R80 R81 a condition that many records meet loses what is excluded or gone",
  async ({ store }) => {
    await createOwner(store);
    const records = Array.from({ length: 4_200 }, (_, at) =>
      message(`m${at}`, { subject: "plan", label: "x", code: at % 100 === 7 ? "out" : "in" }),
    );
    for (let start = 0; start < records.length; start += 700)
      await ingest(store, records.slice(start, start + 700));
    await ingest(store, [removal("messages", "m0"), message("m1", { subject: "plan", label: "y" })]);
    const never = { conditions: [is("code", "out")], record_ids: ["m2"] };
    const where = [is("label", "x")];
    const count = async (limits: Partial<StreamScope>) =>
      (await store.search(scopeOver("messages", limits), { query: requireQuery("plan"), limit: 1 })).count;
    assert.equal(await count({ where }), 4_198);
    assert.equal(await count({ where: [...where, is("code", "in")] }), 4_198 - 42);
    assert.equal(await count({ where, never }), 4_198 - 42 - 1);
    assert.equal(await count({ never }), 4_199 - 42 - 1);
  },
);

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
