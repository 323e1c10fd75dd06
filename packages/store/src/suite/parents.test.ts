/** Records that belong to others are inside a scope only with their parents. The differential test has the random reads. */
import assert from "node:assert/strict";
import type { Condition, ParentScope, ReadScope, StreamScope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { createManifest } from "../../../../testing/store/manifests.ts";
import { Oracle } from "../../../../testing/store/oracle.ts";
import { randomRecord } from "../../../../testing/store/random-data.ts";
import { createOwner, EMITTED_AT, ingest, message, OWNER, removal } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";
import { changes, follow, namesOf } from "./follow-changes.ts";
import { assertRefused } from "./refusals.ts";

const ROUNDS = 30;

const is = (field: string, value: string): Condition => ({ field, op: "equals", value });
const file = (id: string, message_id: string | null, text = "plan") => ({
  stream: "files",
  key: id,
  data: { id, message_id, name: `file ${id}`, text },
  emitted_at: EMITTED_AT,
});
const mark = (id: string, file_id: string) => ({
  stream: "marks",
  key: id,
  data: { id, file_id, text: "plan" },
  emitted_at: EMITTED_AT,
});

function over(stream: string, limits: Partial<ParentScope>, own: Partial<StreamScope> = {}): ReadScope {
  const messages: ParentScope = { stream: "messages", foreign_key: "message_id", ...limits };
  const within =
    stream === "files" ? [messages] : [{ stream: "files", foreign_key: "file_id", within: [messages] }];
  const fields = ["id", "message_id", "name", "text", "file_id"];
  return { owner_id: OWNER, streams: [{ connection_id: "mail", stream, fields, within, ...own }] };
}

async function listIds(store: Store, scope: ReadScope): Promise<string[]> {
  const [{ stream } = { stream: "" }] = scope.streams;
  const request = { connection_id: "mail", stream, order: "asc" as const, limit: 100 };
  const listed = (await store.listRecords(scope, request)).records.map(({ record_id }) => record_id);
  const { hits, count } = await store.search(scope, { query: requireQuery("plan"), limit: 50 });
  const found = hits.map(({ record_id }) => record_id).sort();
  assert.deepEqual([...found, count], [...listed, listed.length], "search finds what the list has");
  const [facts] = await store.describeStreams(scope);
  assert.equal(facts?.record_count ?? 0, listed.length);
  for (const record_id of ["f1", "f2", "f3", "lone", "lost", "x1", "x2"]) {
    const slice = await store.readField(scope, { connection_id: "mail", stream, record_id }, "text", {
      start: 0,
      end: 9,
    });
    assert.equal(slice !== undefined, listed.includes(record_id), `the window of ${record_id}`);
  }
  return listed;
}

const RECORDS = [
  message("a", { label: "tax", sent_at: "2026-01-01T00:00:00Z" }),
  message("b", { label: "private", sent_at: "2026-03-01T00:00:00Z" }),
  file("f1", "a"),
  file("f2", "b"),
  file("f3", "b"),
  file("lone", null),
  file("lost", "missing"),
  mark("x1", "f1"),
  mark("x2", "f2"),
];

testOnEachEngine("R80 R81 a record is in scope only if its parent is", async ({ store }) => {
  await createOwner(store);
  await ingest(store, RECORDS);
  const never = (conditions: Condition[], record_ids: string[] = []) => ({
    never: { conditions, record_ids },
  });
  const cases: readonly (readonly [Partial<ParentScope>, readonly string[]])[] = [
    [{ where: [is("label", "TAX")] }, ["f1"]],
    [{ where: [is("label", "none")] }, []],
    [{ where: [is("body", "not comparable")] }, []],
    [{ time: { since_ms: Date.parse("2026-02-01") } }, ["f2", "f3"]],
    [{ record_ids: ["b"] }, ["f2", "f3"]],
    [{ record_ids: ["b"], ...never([is("label", "private")]) }, []],
    // A record without a parent stays visible, and one with a missing parent is hidden.
    [never([is("label", "private")]), ["f1", "lone"]],
    [never([], ["a"]), ["f2", "f3", "lone"]],
  ];
  for (const [limits, ids] of cases) {
    assert.deepEqual(await listIds(store, over("files", limits)), ids, JSON.stringify(limits));
    const marks = [
      ["x1", "f1"],
      ["x2", "f2"],
    ].flatMap(([id = "", of = ""]) => (ids.includes(of) ? [id] : []));
    assert.deepEqual(await listIds(store, over("marks", limits)), marks, JSON.stringify(limits));
  }
});

testOnEachEngine("R80 children of many parents are searched like those of few", async ({ store }) => {
  await createOwner(store);
  const ids = Array.from({ length: 4_200 }, (_, at) => `m${String(at).padStart(4, "0")}`);
  for (let start = 0; start < ids.length; start += 700) {
    const some = ids.slice(start, start + 700);
    await ingest(
      store,
      some.map((id, at) => message(id, { label: at === 3 ? "private" : "x" })),
    );
    await ingest(
      store,
      some.map((id) => file(`f${id}`, id, id === "m0003" ? "plan secretword" : "plan")),
    );
  }
  for (const limits of [
    { where: [is("label", "x")] },
    { never: { conditions: [is("label", "private")], record_ids: [] } },
  ]) {
    const scope = over("files", limits);
    const { count } = await store.search(scope, { query: requireQuery("plan"), limit: 1 });
    assert.equal(count, 4_194);
    const hidden = await store.search(scope, { query: requireQuery("secretword"), limit: 1 });
    assert.equal(hidden.count, 0);
    // The selection is kept until a record changes.
    await ingest(store, [message("m0003", { label: "x" })]);
    assert.equal((await store.search(scope, { query: requireQuery("secretword"), limit: 1 })).count, 1);
    await ingest(store, [message("m0003", { label: "private" })]);
    assert.equal((await store.search(scope, { query: requireQuery("secretword"), limit: 1 })).count, 0);
  }
});

testOnEachEngine(
  "R80 who follows children starts over when a parent moves, and only then",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, RECORDS);
    const scope = over("files", { where: [is("label", "tax")] });
    const since = async () => (await changes(store, scope, { stream: "files" })).horizon;
    const next = (from: number) => changes(store, scope, { stream: "files", since: from });
    let from = await since();
    await ingest(store, [
      message("a", { label: "tax", subject: "changed" }),
      message("b", { label: "secret" }),
      message("c", { label: "other" }),
      file("f4", "c"),
      file("f5", "a"),
      removal("files", "f3"),
    ]);
    assert.deepEqual(
      namesOf((await next(from)).changes),
      ["f5"],
      "hidden parents and children change nothing",
    );
    await ingest(store, [removal("files", "f1"), removal("messages", "a")]);
    await assertRefused(next(from), "cursor_expired");
    from = await since();
    await ingest(store, [removal("files", "f5")]);
    assert.deepEqual(namesOf((await next(from)).changes), [], "it left with its message");
    await ingest(store, [message("d", { label: "tax" }), file("f6", "d"), file("f7", "d")]);
    assert.deepEqual(namesOf((await next(from)).changes), ["f6", "f7"]);
    from = await since();
    await ingest(store, [removal("files", "f6"), file("f7", "b")]);
    assert.deepEqual(namesOf((await next(from)).changes), ["-f6", "-f7"], "a child left its parent");
    await ingest(store, [file("f7", "d")]);
    from = await since();
    await ingest(store, [removal("files", "f7"), removal("messages", "d")]);
    assert.deepEqual(namesOf((await next(from)).changes), ["-f7"], "both are gone");
    from = await since();
    await ingest(store, [message("b", { label: "tax" })]);
    await assertRefused(next(from), "cursor_expired");
  },
);

testOnEachEngine(
  "R80 a copy that follows changes has what the scope covers, whatever moves",
  async ({ store }) => {
    const random = new Random(7);
    const oracle = new Oracle(createManifest());
    await createOwner(store);
    oracle.putConnection(OWNER, "mail");
    const scopes = [
      over("files", { where: [is("label", "red")] }),
      over("files", { never: { conditions: [is("label", "green")], record_ids: ["k1"] } }),
      over("files", { time: { since_ms: Date.UTC(2026, 0, 1) } }, { where: [is("name", "the ")] }),
      over("marks", { where: [{ field: "label", op: "not_in", values: ["blue"] }] }),
    ];
    const clients = scopes.map((scope) => ({ scope, since: 0, copy: new Map<string, unknown>(), starts: 0 }));
    let [steps, followed] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      const batch = random.times(random.pick([1, 2, 6]), () => {
        const stream = random.pick(["messages", "files", "files", "marks"]);
        const held = oracle.recordsOf(OWNER).filter(({ ref }) => ref.stream === stream);
        if (held.length > 0 && random.chance(0.25)) return removal(stream, random.pick(held).ref.record_id);
        return randomRecord(random, stream, undefined, EMITTED_AT);
      });
      await store.ingest(OWNER, "mail", batch);
      oracle.ingest(OWNER, "mail", batch, EMITTED_AT);
      for (const client of clients) {
        if (random.chance(0.4)) continue;
        const stream = client.scope.streams[0]?.stream ?? "";
        steps += 1;
        try {
          client.since = await follow(store, client.scope, client.since, client.copy, stream);
          followed += 1;
        } catch (error) {
          assert.equal((error as { code?: string }).code, "cursor_expired");
          client.copy.clear();
          client.since = await follow(store, client.scope, 0, client.copy, stream);
        }
        const [covered] = oracle.cover(client.scope);
        assert.deepEqual(
          [...client.copy.keys()].sort(),
          covered?.records.map(({ ref }) => ref.record_id).sort(),
          `round ${round}, ${JSON.stringify(client.scope)}`,
        );
      }
    }
    assert.ok(followed > steps / 3, `${followed} of ${steps} followed`);
  },
);

testOnEachEngine(
  "R80 a record that comes inside with its parent scores as one that was there, though it is older",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, RECORDS);
    const scope = over("files", { where: [is("label", "tax")] });
    const score = async () => {
      const { hits } = await store.search(scope, { query: requireQuery('"roof plan"'), limit: 10 });
      return hits.map((hit) => ({ id: hit.record_id, score: hit.score }));
    };
    await ingest(store, [file("f2", "b", "roof plan"), file("f3", "b", "roof plan")]);
    await ingest(store, [file("f1", "a", "roof plan roof plan")]);
    const [alone] = await score();
    assert.equal(alone?.id, "f1");
    await ingest(store, [message("b", { label: "tax", sent_at: "2026-03-01T00:00:00Z" })]);
    const found = await score();
    assert.deepEqual(found.map(({ id }) => id).sort(), ["f1", "f2", "f3"]);
    const scores = new Map(found.map((hit) => [hit.id, hit.score]));
    assert.equal(scores.get("f2"), scores.get("f3"));
    assert.ok(found.every((hit) => hit.score > 0));
    assert.equal(found[0]?.id, "f1");
  },
);
