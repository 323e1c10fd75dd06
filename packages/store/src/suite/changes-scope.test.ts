import assert from "node:assert/strict";
import type { ReadScope } from "@rungs/contract";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, removal, scopeOver } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";
import { changes, namesOf, recordOf } from "./follow-changes.ts";

const IN_RANGE = "2026-05-05T00:00:00Z";
const OUT_OF_RANGE = "2020-05-05T00:00:00Z";
const RANGE = { since_ms: Date.UTC(2026, 0, 1), until_ms: Date.UTC(2027, 0, 1) };

testOnEachEngine(
  "R54 a change of a hidden field is not listed and affects no time or order",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [
      message("a", { subject: "s", note: "n" }, "2026-01-01T00:00:00Z"),
      message("b", { subject: "s", note: "n" }, "2026-01-02T00:00:00Z"),
    ]);
    const scope = scopeOver("messages", { fields: ["id", "subject"] });
    const before = await everything(store, scope);
    const { horizon } = await changes(store, scope);
    await ingest(store, [message("a", { subject: "s", note: "hidden" }, "2026-09-09T00:00:00Z")]);
    await ingest(store, [message("a", { subject: "s" }, "2026-09-10T00:00:00Z")]);
    assert.deepEqual((await changes(store, scope, { since: horizon })).changes, []);
    assert.deepEqual(await everything(store, scope), before);
    const whole = await changes(store, scopeOver(), { since: horizon });
    assert.deepEqual(namesOf(whole.changes), ["a"]);
    assert.equal(recordOf(whole.changes[0])?.emitted_at, "2026-09-10T00:00:00Z");
    await ingest(store, [message("a", { subject: "seen", note: "hidden" }, "2026-09-11T00:00:00Z")]);
    const seen = await changes(store, scope, { since: horizon });
    assert.deepEqual(namesOf(seen.changes), ["a"]);
    assert.equal(recordOf(seen.changes[0])?.emitted_at, "2026-09-11T00:00:00Z");
  },
);

testOnEachEngine("R54 a hidden value that makes the row long changes nothing visible", async ({ store }) => {
  await createOwner(store);
  const text = "v".repeat(4_000);
  const seen = {
    subject: text,
    body: text,
    label: text,
    code: text,
    raw: text,
    from: { name: text },
    parts: [{ text }],
    payload: { text },
  };
  const scope = scopeOver("messages", { fields: ["id", ...Object.keys(seen)] });
  await ingest(store, [message("a", seen)]);
  const before = await everything(store, scope);
  const { horizon } = await changes(store, scope);
  await ingest(store, [
    message("a", { ...seen, note: "n".repeat(4_000), attachment: { x: "y".repeat(4_000) } }),
  ]);
  assert.deepEqual((await changes(store, scope, { since: horizon })).changes, []);
  assert.deepEqual(await everything(store, scope), before);
});

testOnEachEngine("R51 records move into and out of a time limit", async ({ store }) => {
  await createOwner(store);
  const scope = scopeOver("messages", { time: RANGE });
  await ingest(store, [
    message("in", { sent_at: IN_RANGE }),
    message("out", { sent_at: OUT_OF_RANGE }),
    message("none"),
  ]);
  const first = await changes(store, scope);
  assert.deepEqual(namesOf(first.changes), ["in"]);
  await ingest(store, [message("in", { sent_at: OUT_OF_RANGE }), message("out", { sent_at: IN_RANGE })]);
  const second = await changes(store, scope, { since: first.horizon });
  assert.deepEqual(namesOf(second.changes), ["-in", "out"]);
  await ingest(store, [
    message("in", { sent_at: OUT_OF_RANGE, subject: "unseen" }),
    removal("messages", "in"),
    removal("messages", "none"),
  ]);
  assert.deepEqual(namesOf((await changes(store, scope, { since: second.horizon })).changes), []);
  await ingest(store, [message("none", { sent_at: IN_RANGE })]);
  const third = await changes(store, scope, { since: second.horizon });
  assert.deepEqual(namesOf(third.changes), ["none"]);
});

testOnEachEngine(
  "R54 a record that moves into a time limit is listed even if the time is hidden; one that moves within it is not",
  async ({ store }) => {
    await createOwner(store);
    const scope = scopeOver("messages", { time: RANGE, fields: ["id", "subject"] });
    await ingest(store, [
      message("a", { subject: "s", sent_at: OUT_OF_RANGE }),
      message("b", { subject: "s", sent_at: IN_RANGE }),
    ]);
    const { horizon } = await changes(store, scope);
    await ingest(store, [
      message("a", { subject: "s", sent_at: IN_RANGE }),
      message("b", { subject: "s", sent_at: "2026-06-06T00:00:00Z" }),
    ]);
    const page = await changes(store, scope, { since: horizon });
    assert.deepEqual(namesOf(page.changes), ["a"]);
    assert.deepEqual(recordOf(page.changes[0])?.data, { id: "a", subject: "s" });
  },
);

testOnEachEngine(
  "R51 only records that the scope names are listed, and only their tombstones",
  async ({ store }) => {
    await createOwner(store);
    const scope = scopeOver("messages", { record_ids: ["a", "b"] });
    await ingest(store, [message("a"), message("b"), message("c")]);
    const { horizon } = await changes(store, scope);
    await ingest(store, [removal("messages", "a"), removal("messages", "c"), message("d")]);
    assert.deepEqual(namesOf((await changes(store, scope, { since: horizon })).changes), ["-a"]);
  },
);

testOnEachEngine("R54 a stream outside the scope has no changes", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a")]);
  for (const scope of [
    scopeOver("events"),
    scopeOver("messages", { connection_id: "work" }),
    { owner_id: OWNER, streams: [] },
  ]) {
    assert.deepEqual((await changes(store, scope)).changes, []);
  }
});

async function everything(store: Store, scope: ReadScope): Promise<unknown> {
  const at = { connection_id: "mail", stream: "messages" };
  return [
    await store.listRecords(scope, { ...at, order: "asc", limit: 50 }),
    (await changes(store, scope)).changes,
    await store.describeStreams(scope),
  ];
}
