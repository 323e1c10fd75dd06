import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ApiError, type Condition, type Exclusion } from "@rungs/contract";
import { createFilePlace } from "../../../../testing/engines.ts";
import { createNote, library } from "../../../../testing/library.ts";
import { putConnection } from "./connections.ts";
import {
  addExclusion,
  countHidden,
  finishExclusions,
  listExclusions,
  previewExclusion,
  removeExclusion,
} from "./exclusions.ts";
import { ensureOwner, type OwnerContext } from "./owner-context.ts";

async function openOwner(t: TestContext): Promise<OwnerContext> {
  const place = createFilePlace();
  const store = await place.open();
  t.after(async () => {
    await store.close();
    await place.remove();
  });
  return { store, owner_id: await ensureOwner(store), now: Date.now };
}

test("R81 an owner has a bounded number of rules by pattern", async (t) => {
  const owner = await openOwner(t);
  const add = (at: number) => addExclusion(owner, { kind: "pattern", pattern: `CASE-${at}` });
  for (let at = 0; at < 50; at += 1) await add(at);
  await addExclusion(owner, { kind: "person", person: "ada" });
  await assert.rejects(add(50), (error) => error instanceof ApiError && error.code === "invalid_request");
  const [first] = await listExclusions(owner);
  await removeExclusion(owner, first?.rule_id ?? "");
  await add(51);
});

test("R81 a record that a rule by pattern hides stays hidden when its source no longer declares the rule's field", async (t) => {
  const owner = await openOwner(t);
  await putConnection(owner, "home", library, "Home");
  const note = (id: string, body: string) =>
    createNote(id, { title: id, body, written_at: "2026-01-01T00:00:00Z" });
  await owner.store.ingest(owner.owner_id, "home", [note("a", "my diagnosis"), note("b", "a heron")]);
  const rule = await addExclusion(owner, { kind: "pattern", pattern: "diagnosis", field: "body" });
  await finishExclusions(owner);
  const hidden = [{ connection_id: "home", stream: "notes", record_count: 2, hidden_count: 1 }];
  assert.deepEqual(await countHidden(owner, rule), hidden);
  await putConnection(owner, "home", without("body"), "Home");
  assert.deepEqual(await countHidden(owner, rule), hidden);
});

test("R81 a rule by value hides a whole stream when the source no longer declares the rule's field", async (t) => {
  const place = createFilePlace();
  const store = await place.open();
  t.after(async () => {
    await store.close();
    await place.remove();
  });
  const owner = { store, owner_id: await ensureOwner(store), now: Date.now };
  await putConnection(owner, "home", library, "Home");
  const note = (id: string, topic: string) =>
    createNote(id, { title: id, topic, written_at: "2026-01-01T00:00:00Z" });
  await store.ingest(owner.owner_id, "home", [note("a", "health"), note("b", "birds")]);
  const condition = { field: "topic", op: "equals", value: "health" } as const;
  const [inStream, anywhere] = [
    await addExclusion(owner, { kind: "value", condition, stream: "notes" }),
    await addExclusion(owner, { kind: "value", condition }),
  ];
  const hides = async (rule: typeof inStream) =>
    (await countHidden(owner, rule)).map(({ hidden_count }) => hidden_count);
  assert.deepEqual([await hides(inStream), await hides(anywhere)], [[1], [1]]);
  await putConnection(owner, "home", without("topic"), "Home");
  assert.deepEqual([await hides(inStream), await hides(anywhere)], [[2], [2]]);
});

test("R81 a number or a word such as true stands for its text in a rule by value", async (t) => {
  const owner = await openOwner(t);
  await putConnection(owner, "home", library, "Home");
  const note = (id: string, data: object) =>
    createNote(id, { title: id, written_at: "2026-01-01T00:00:00Z", ...data });
  const notes = [note("a", { topic: "2024" }), note("b", { topic: "true" }), note("c", { rating: 5 })];
  await owner.store.ingest(owner.owner_id, "home", notes);
  const conditions: Condition[] = [
    { field: "topic", op: "equals", value: 2024 },
    { field: "topic", op: "in", values: [2024, "x"] },
    { field: "topic", op: "equals", value: true },
    { field: "rating", op: "equals", value: "5" },
  ];
  for (const condition of conditions) {
    const rule = await addExclusion(owner, { kind: "value", condition });
    const counts = (await countHidden(owner, rule)).map(({ hidden_count }) => hidden_count);
    assert.deepEqual(counts, [1], JSON.stringify(condition));
  }
});

test("R81 a rule that would hide nothing is refused with the reason", async (t) => {
  const owner = await openOwner(t);
  await putConnection(owner, "home", library, "Home");
  const value = (condition: object, place: object = {}) =>
    ({
      kind: "value",
      condition: { field: "topic", op: "equals", value: "x", ...condition },
      ...place,
    }) as const;
  for (const [hides, message] of [
    [{ kind: "person", person: "" }, /person/],
    [{ kind: "person", person: "*" }, /no person/],
    [{ kind: "person", person: "*@" }, /no person/],
    [{ kind: "person", person: "dr*berg" }, /no person/],
    [value({}, { connection_id: "hme" }), /no connection hme/],
    [value({}, { connection_id: "home", stream: "note" }), /no stream note in the connection home/],
    [value({}, { stream: "note" }), /no stream note/],
    [value({ field: "body" }), /narrowed by body; these can be compared: .*topic/],
    [
      { kind: "value", condition: { field: "topic", op: "range", gt: 3 } },
      /hide nothing: the value of topic/,
    ],
    [value({ field: "rating", value: "high" }), /must be a number/],
    [{ kind: "pattern", pattern: "x", connection_id: "hme" }, /no connection hme/],
    [{ kind: "pattern", pattern: "x", field: "nothing" }, /no stream has a field nothing/i],
    [{ kind: "record", connection_id: "hme", stream: "notes", record_id: "a" }, /no connection hme/],
  ] as [Exclusion["hides"], RegExp][])
    for (const work of [addExclusion, previewExclusion])
      await assert.rejects(
        async () => work(owner, hides),
        (error) => error instanceof ApiError && message.test(error.details.message ?? ""),
        JSON.stringify(hides),
      );
  for (const person of ["@clinic.example", "*@clinic.example", "berg*", "Dr. Berg"])
    await addExclusion(owner, { kind: "person", person });
});

/** The next version of the declaration, in which notes lack a field. */
function without(field: string): typeof library {
  const text = JSON.stringify({ ...library, declaration_version: `without ${field}` }, (key, value) =>
    key === field ? undefined : Array.isArray(value) ? value.filter((each) => each !== field) : value,
  );
  return JSON.parse(text);
}
