/** Rules of the owner by pattern (R81): records are tagged when they are written, older ones before the rule counts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Exclusion, ParentScope, ReadScope, StreamMasks } from "@rungs/contract";
import { createValueTest, requireQuery } from "@rungs/evidence";
import { engines, testOnEachEngine } from "../../../../testing/engines.ts";
import { copyAll, grantWith } from "../../../../testing/store/masked-copies.ts";
import {
  createOwner,
  EMITTED_AT,
  fieldsOf,
  ingest,
  message,
  OWNER,
  refOf,
  removal,
  scopeOver,
} from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";
import { namesOf } from "./follow-changes.ts";
import { assertRefused } from "./refusals.ts";

type PatternRule = Extract<Exclusion["hides"], { kind: "pattern" }>;

const never = { conditions: [], record_ids: [], patterns: ["r1"] };
const scope = scopeOver("messages", { never });

function ruleOf(hides: Omit<PatternRule, "kind">, rule_id = "r1"): Exclusion {
  return { rule_id, created_at: EMITTED_AT, hides: { kind: "pattern", ...hides } };
}

async function finish(store: Store): Promise<void> {
  while ((await store.tagMatching(OWNER)).state === "progress");
}

async function hide(store: Store, hides: Omit<PatternRule, "kind">): Promise<void> {
  await store.putExclusion(OWNER, ruleOf(hides));
  await finish(store);
}

async function listIds(store: Store, where: ReadScope = scope): Promise<string[]> {
  const [{ stream } = { stream: "" }] = where.streams;
  const request = { connection_id: "mail", stream, order: "asc" as const, limit: 100 };
  const { records } = await store.listRecords(where, request);
  const [facts] = await store.describeStreams(where);
  assert.equal(facts?.record_count ?? 0, records.length);
  return records.map(({ record_id }) => record_id);
}

const long = (end: string) => `${"The roof leaks again. ".repeat(2_000)}${end}`;

testOnEachEngine("R81 a pattern is found in every value of a record, wherever it is", async ({ store }) => {
  await createOwner(store);
  const found = [
    message("a", { subject: "Your Oncology appointment" }),
    message("b", { body: long("oncologist") }),
    message("c", { payload: { list: [{ deep: "see oncology" }], oncology: 1 } }),
    message("d", { from: { name: "Onco\u200blogy ward" } }),
    message("e", { note: `${"腫瘍".repeat(3_000)}oncology${"科".repeat(3_000)}` }),
    message("f", { payload: { oncology: true } }),
    message("oncology-7"),
  ];
  const others = [
    message("x", { subject: "roof" }),
    message("y", { body: long("") }),
    message("z", { amount: 7 }),
  ];
  await ingest(store, [...found.slice(0, 4), ...others]);
  await store.putExclusion(OWNER, ruleOf({ pattern: "(?i)oncolog" }));
  await ingest(store, found.slice(4));
  await assertRefused(listIds(store), "rule_unfinished");
  await assertRefused(store.getRecord(scope, refOf("x")), "rule_unfinished");
  await assertRefused(store.readField(scope, refOf("x"), "subject", { start: 0, end: 4 }), "rule_unfinished");
  assert.equal((await store.listExclusions(OWNER))[0]?.is_unfinished, true);
  await finish(store);
  assert.equal((await store.listExclusions(OWNER))[0]?.is_unfinished, undefined);
  assert.deepEqual(await listIds(store), ["x", "y", "z"]);
  const { hits, count } = await store.search(scope, { query: requireQuery("oncology OR roof"), limit: 10 });
  assert.deepEqual([hits.map(({ record_id }) => record_id).sort(), count], [["x", "y"], 2]);
  assert.equal(await store.readField(scope, refOf("b"), "body", { start: 0, end: 4 }), undefined);
  await store.rebuild(OWNER);
  assert.deepEqual(await listIds(store), ["x", "y", "z"]);
  assert.equal(await store.deleteExclusion(OWNER, "r1"), true);
  await assertRefused(listIds(store), "rule_unfinished");
  assert.equal((await listIds(store, scopeOver())).length, 10);
  assert.deepEqual(await listTags(store), []);
});

async function listTags(store: Store): Promise<unknown[]> {
  const rows: unknown[] = [];
  await store.dump(async (page) => void rows.push(...page.rows.filter((row) => row[2] === 768)), ["items"]);
  return rows;
}

testOnEachEngine("R81 a pattern may be about one field, one connection or one stream", async ({ store }) => {
  await createOwner(store, { connections: ["mail", "work"] });
  const batch = [
    message("a", { subject: "kiln" }),
    message("b", { note: "kiln" }),
    message("c", { amount: 42.5 }),
  ];
  await ingest(store, batch);
  await ingest(store, batch, { connection_id: "work" });
  const both: ReadScope = {
    owner_id: OWNER,
    streams: ["mail", "work"].map((connection_id) => ({
      connection_id,
      stream: "messages",
      fields: fieldsOf("messages"),
      never,
    })),
  };
  const list = async () =>
    (await store.describeStreams(both)).map(({ connection_id, record_count }) => [
      connection_id,
      record_count,
    ]);
  const cases: readonly (readonly [Omit<PatternRule, "kind">, number, number])[] = [
    [{ pattern: "kiln" }, 1, 1],
    [{ pattern: "kiln", field: "subject" }, 2, 2],
    [{ pattern: "kiln", connection_id: "work" }, 3, 1],
    [{ pattern: "kiln", connection_id: "mail", stream: "labels" }, 3, 3],
    [{ pattern: "^42\\.5$" }, 2, 2],
    [{ pattern: "subject|__proto__" }, 3, 3],
  ];
  for (const [hides, mail, work] of cases) {
    await hide(store, hides);
    assert.deepEqual(
      await list(),
      [
        ["mail", mail],
        ["work", work],
      ],
      JSON.stringify(hides),
    );
  }
});

testOnEachEngine(
  "R81 a record that comes to match is a deletion to who follows changes, and comes back",
  async ({ store }) => {
    await createOwner(store);
    await hide(store, { pattern: "secret" });
    await ingest(store, [message("a", { body: "open" }), message("b", { body: "a secret" })]);
    const titles = scopeOver("messages", { fields: ["id", "subject"], never });
    const follow = async (since: number) =>
      store.listChanges(titles, { connection_id: "mail", stream: "messages", since, limit: 100 });
    const first = await follow(0);
    assert.deepEqual(namesOf(first.changes), ["a"]);
    await ingest(store, [message("a", { body: "now secret" }), message("b", { body: "still secret" })]);
    const second = await follow(first.horizon);
    assert.deepEqual(namesOf(second.changes), ["-a"]);
    await ingest(store, [
      message("a", { body: "open again" }),
      message("b", { body: "open" }),
      message("c", { body: "secret" }),
    ]);
    const third = await follow(second.horizon);
    assert.deepEqual(namesOf(third.changes), ["a", "b"]);
    await ingest(store, [removal("messages", "c"), removal("messages", "b")]);
    assert.deepEqual(namesOf((await follow(third.horizon)).changes), ["-b"]);
  },
);

testOnEachEngine("R81 children of a matching record are hidden with it", async ({ store }) => {
  await createOwner(store);
  const file = (id: string, message_id: string) => ({
    stream: "files",
    key: id,
    data: { id, message_id, name: "plan", text: "plan" },
    emitted_at: EMITTED_AT,
  });
  await ingest(store, [message("a", { body: "secret" }), message("b"), file("f1", "a"), file("f2", "b")]);
  await hide(store, { pattern: "secret", stream: "messages" });
  const within: ParentScope[] = [{ stream: "messages", foreign_key: "message_id", never }];
  const files = scopeOver("files", { fields: ["id", "name", "text"], within });
  assert.deepEqual(await listIds(store, files), ["f2"]);
  assert.equal((await store.search(files, { query: requireQuery("plan"), limit: 5 })).count, 1);
  await ingest(store, [message("b", { body: "secret" })]);
  assert.deepEqual(await listIds(store, files), []);
});

const masks: StreamMasks = { fields: ["id", "body"], kinds: ["phone", "email"] };
const masked = scopeOver("messages", { masks, never });

testOnEachEngine("R81 R82 a pattern compares the values as they are, masked or not", async ({ store }) => {
  await createOwner(store);
  await store.putGrant(OWNER, grantWith({ messages: masks }));
  await ingest(store, [
    message("jo@example.org", { body: "+49 171 2345678" }),
    message("b", { body: "+49 171 2345679" }),
    message("c", { body: long("+49 171 2345678") }),
  ]);
  await copyAll(store);
  await hide(store, { pattern: "2345678" });
  assert.deepEqual(await listIds(store, masked), ["b"]);
  await ingest(store, [
    message("d", { body: "+49 171 2345678" }),
    message("e", { body: "x" }),
    message("b", { body: "12345678" }),
  ]);
  assert.deepEqual(await listIds(store, masked), ["e"]);
  await store.putGrant(OWNER, grantWith({ messages: { ...masks, kinds: ["phone"] } }, "other"));
  await copyAll(store);
  assert.deepEqual(
    await listIds(store, scopeOver("messages", { masks: { ...masks, kinds: ["phone"] }, never })),
    ["e"],
  );
  await store.rebuild(OWNER);
  await copyAll(store);
  assert.deepEqual(await listIds(store, masked), ["e"]);
});

testOnEachEngine("R81 a replaced rule hides only by its new pattern", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("a", { body: "kiln" }),
    message("b", { body: "glaze" }),
    message("c", { body: long("kiln") }),
  ]);
  await hide(store, { pattern: "kiln" });
  assert.deepEqual(await listIds(store), ["b"]);
  const sizes = await store.describeSizes(scope);
  await hide(store, { pattern: "glaze" });
  assert.deepEqual(await listIds(store), ["a", "c"]);
  assert.notDeepEqual(
    await store.describeSizes(scope),
    sizes,
    "facts of before are not the start of new ones",
  );
});

testOnEachEngine(
  "R81 older records are compared a step at a time, whatever is written meanwhile",
  async ({ store }) => {
    await createOwner(store);
    const batch = (from: number) =>
      Array.from({ length: 700 }, (_, at) =>
        message(`m${from + at}`, { body: (from + at) % 2 === 0 ? "even" : "odd" }),
      );
    await ingest(store, batch(0));
    await ingest(store, batch(700));
    await store.putExclusion(OWNER, ruleOf({ pattern: "odd" }));
    assert.deepEqual(await store.tagMatching(OWNER), { state: "progress", record_count: 500 });
    await ingest(store, [
      message("m1", { body: "even" }),
      message("m1399", { body: "even" }),
      message("new", { body: "odd" }),
    ]);
    await finish(store);
    const [facts] = await store.describeStreams(scope);
    assert.equal(facts?.record_count, 702);
    assert.deepEqual(await store.tagMatching(OWNER), { state: "complete" });
    let [matching, compared] = [0, 0];
    for (let before: number | undefined; ; ) {
      const page = await store.findMatching(OWNER, ruleOf({ pattern: "odd" }).hides, before);
      [matching, compared] = [matching + page.matching.length, compared + page.record_count];
      before = page.before;
      if (before === undefined) break;
    }
    assert.deepEqual([matching, compared], [699, 1_401]);
  },
);

for (const create of Object.values(engines))
  test(`R52 R81 a restored backup applies the rules of the database that it replaces (${create.name})`, async (t) => {
    const [current, backup] = [await create(), await create()];
    const stores = [await current.open(), await backup.open()] as const;
    t.after(async () => {
      for (const store of stores) await store.close();
      for (const place of [current, backup]) await place.remove();
    });
    const [now, restored] = stores;
    await createOwner(now);
    await now.getSecret("cursor", () => "kept");
    await ingest(now, [message("a", { body: "kiln" }), message("b", { body: "glaze" })]);
    await hide(now, { pattern: "glaze" });
    await restored.load(now);
    await hide(now, { pattern: "kiln" });
    assert.equal(await restored.takeAccessOf(now), true);
    await assertRefused(listIds(restored), "rule_unfinished");
    await finish(restored);
    assert.deepEqual(await listIds(restored), ["b"]);
  });

test("R81 a text of 10 MB takes linear time under any pattern", () => {
  const text = `${"a".repeat(10_000_000)}!`;
  for (const pattern of ["(a+)+b", "(a|aa)*c", "(?:a?){50}b{50}", "(.*a){12}x"])
    assert.equal(createValueTest(pattern)(text), false);
});
