import assert from "node:assert/strict";
import type { RecordEnvelope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import {
  createOwner,
  EMITTED_AT,
  ingest,
  message,
  OWNER,
  refOf,
  removal,
  scopeOver,
} from "../../../../testing/store/world.ts";
import { assertRefused } from "./refusals.ts";

const statuses = (outcomes: readonly { status: string }[]) => outcomes.map(({ status }) => status);

testOnEachEngine("each record is added, changed, unchanged or deleted", async ({ store }) => {
  await createOwner(store);
  const first = [message("a", { subject: "one" }), message("b", { subject: "two" })];
  assert.deepEqual(await store.ingest(OWNER, "mail", first), [
    { status: "added", stream: "messages", record_id: "a" },
    { status: "added", stream: "messages", record_id: "b" },
  ]);
  const second = [
    message("a", { subject: "one" }),
    message("b", { subject: "three" }),
    removal("messages", "a"),
  ];
  assert.deepEqual(statuses(await store.ingest(OWNER, "mail", second)), ["unchanged", "changed", "deleted"]);
  assert.deepEqual(statuses(await store.ingest(OWNER, "mail", [removal("messages", "a")])), ["unchanged"]);
  assert.equal(await store.getRecord(scopeOver(), refOf("a")), undefined);
  assert.deepEqual((await store.getRecord(scopeOver(), refOf("b")))?.data, { id: "b", subject: "three" });
});

testOnEachEngine("writing the same batch again changes nothing", async ({ store }) => {
  await createOwner(store);
  const batch = [
    message("a", { subject: "short", payload: { deep: [1, { x: null }] } }),
    message("b", { body: "long ".repeat(3_000), parts: [{ text: "y".repeat(9_000) }] }),
    {
      stream: "labels",
      key: ["x", "7"],
      data: { account: "x", number: 7, name: "seven" },
      emitted_at: EMITTED_AT,
    },
    { stream: "events", key: "e", data: { id: "e", at: 1_700_000_000 }, emitted_at: EMITTED_AT },
    { stream: "meters", key: "m", data: { id: "m", reading: -0.5 }, emitted_at: EMITTED_AT },
  ];
  assert.deepEqual(new Set(statuses(await store.ingest(OWNER, "mail", batch))), new Set(["added"]));
  const before = await store.listChanges(scopeOver(), { ...refOf(""), since: 0, limit: 10 });
  const later = batch.map((envelope) => ({ ...envelope, emitted_at: "2027-07-07T00:00:00Z" }));
  assert.deepEqual(new Set(statuses(await store.ingest(OWNER, "mail", later))), new Set(["unchanged"]));
  assert.deepEqual(await store.listChanges(scopeOver(), { ...refOf(""), since: 0, limit: 10 }), before);
});

testOnEachEngine("a rejected record does not stop the others and leaves no trace", async ({ store }) => {
  await createOwner(store);
  const outcomes = await store.ingest(OWNER, "mail", [
    message("a", { subject: "good one" }),
    message("b", { subject: 7 }),
    message("c", { subject: "good two" }),
    { ...message("d"), stream: "nothing" },
    message("e", { attachment: { blob_id: "0".repeat(64), mime_type: "x/y", size_bytes: 1, sha256: "0" } }),
    message("f", { subject: "good three" }),
  ]);
  assert.deepEqual(statuses(outcomes), ["added", "rejected", "added", "rejected", "rejected", "added"]);
  const codes = outcomes.map((outcome) =>
    outcome.status === "rejected" ? [outcome.code, outcome.param] : [],
  );
  assert.deepEqual(codes[1], ["invalid_record", "subject"]);
  assert.deepEqual(codes[3], ["unknown_stream", "stream"]);
  assert.deepEqual(codes[4], ["blob_not_found", "attachment"]);
  const [facts] = await store.describeStreams(scopeOver());
  assert.equal(facts?.record_count, 3);
  assert.equal((await store.search(scopeOver(), { query: requireQuery("good"), limit: 9 })).count, 3);
  const { changes } = await store.listChanges(scopeOver(), { ...refOf(""), since: 0, limit: 9 });
  assert.equal(changes.length, 3);
  assert.deepEqual(await store.check(OWNER), []);
});

testOnEachEngine("a rejected change leaves the stored record untouched", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { subject: "stays", body: "b".repeat(9_000) })]);
  const [outcome] = await store.ingest(OWNER, "mail", [message("a", { subject: "goes", unread: "yes" })]);
  assert.equal(outcome?.status, "rejected");
  const record = await store.getRecord(scopeOver(), refOf("a"));
  assert.equal(record?.data.subject, "stays");
  assert.equal(record?.cuts[0]?.size_chars, 9_000);
});

testOnEachEngine("the last of several versions in one batch wins", async ({ store }) => {
  await createOwner(store);
  const outcomes = await ingest(store, [
    message("a", { subject: "first draft" }),
    message("a", { subject: "second draft", body: "x".repeat(5_000) }),
    message("a", { subject: "second draft", body: "x".repeat(5_000) }),
    removal("messages", "a"),
    message("a", { subject: "third draft" }),
    message("b", { subject: "gone" }),
    removal("messages", "b"),
  ]);
  assert.deepEqual(statuses(outcomes), [
    "added",
    "changed",
    "unchanged",
    "deleted",
    "added",
    "added",
    "deleted",
  ]);
  const found = await store.search(scopeOver(), { query: requireQuery("draft"), limit: 9 });
  assert.equal(found.count, 1);
  assert.equal(found.hits[0]?.data.subject, "third draft");
  assert.equal((await store.search(scopeOver(), { query: requireQuery("second"), limit: 9 })).count, 0);
  assert.deepEqual(await store.check(OWNER), []);
});

testOnEachEngine(
  "an append-only stream accepts the same record again and refuses a different one",
  async ({ store }) => {
    await createOwner(store);
    const event = (at: number): RecordEnvelope => ({
      stream: "events",
      key: "e",
      data: { id: "e", at },
      emitted_at: EMITTED_AT,
    });
    const outcomes = await store.ingest(OWNER, "mail", [event(1), event(1), event(2)]);
    assert.deepEqual(statuses(outcomes), ["added", "unchanged", "rejected"]);
    const [again, conflict] = await store.ingest(OWNER, "mail", [event(1), event(3)]);
    assert.equal(again?.status, "unchanged");
    assert.deepEqual(conflict?.status === "rejected" && [conflict.code, conflict.param], [
      "append_only_conflict",
      "key",
    ]);
    assert.equal((await store.getRecord(scopeOver("events"), refOf("e", "events")))?.data.at, 1);
    assert.deepEqual(statuses(await store.ingest(OWNER, "mail", [removal("events", "e"), event(3)])), [
      "deleted",
      "added",
    ]);
  },
);

testOnEachEngine("an error in the middle of a batch rolls back all of it", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { subject: "kept", body: "k".repeat(9_000) })]);
  const batch = [
    message("a", { subject: "lost" }),
    ...Array.from({ length: 600 }, (_, at) =>
      message(`n${at}`, { subject: "lost", body: "l".repeat(5_000) }),
    ),
    unreadable(),
  ];
  await assert.rejects(store.ingest(OWNER, "mail", batch), /cannot be read/);
  assert.equal((await store.getRecord(scopeOver(), refOf("a")))?.data.subject, "kept");
  const [facts] = await store.describeStreams(scopeOver());
  assert.equal(facts?.record_count, 1);
  assert.equal((await store.search(scopeOver(), { query: requireQuery("lost"), limit: 9 })).count, 0);
  assert.equal((await store.search(scopeOver(), { query: requireQuery("kept"), limit: 9 })).count, 1);
  assert.deepEqual(await store.check(OWNER), []);
  await ingest(store, [message("a", { subject: "goes on" })]);
});

testOnEachEngine("an unknown connection refuses every batch, even an empty one", async ({ store }) => {
  await createOwner(store);
  for (const batch of [[], [message("a")]]) {
    const refusal = await assertRefused(store.ingest(OWNER, "other", batch), "connection_not_found");
    assert.equal(refusal.details.param, "connection_id");
  }
  assert.deepEqual(await store.ingest(OWNER, "mail", []), []);
});

testOnEachEngine("the owner deletes one record, and only once", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("a", { subject: "word", body: "w ".repeat(9_000), label: "x" }),
    message("b", { subject: "word" }),
  ]);
  assert.equal(await store.deleteRecord(OWNER, "mail", "messages", "a"), true);
  assert.equal(await store.deleteRecord(OWNER, "mail", "messages", "a"), false);
  assert.equal(await store.deleteRecord(OWNER, "mail", "nothing", "a"), false);
  await assertRefused(store.deleteRecord(OWNER, "other", "messages", "a"), "connection_not_found");
  assert.equal(await store.getRecord(scopeOver(), refOf("a")), undefined);
  assert.equal(await store.readField(scopeOver(), refOf("a"), "body", { start: 0, end: 9 }), undefined);
  assert.equal((await store.search(scopeOver(), { query: requireQuery("word"), limit: 9 })).count, 1);
  assert.deepEqual(await store.check(OWNER), []);
});

testOnEachEngine("the same key in two streams, connections and owners is four records", async ({ store }) => {
  await createOwner(store, { connections: ["mail", "work"] });
  await createOwner(store, { owner_id: "you" });
  await ingest(store, [message("k", { subject: "mine" })]);
  await ingest(store, [message("k", { subject: "at work" })], { connection_id: "work" });
  await ingest(store, [message("k", { subject: "yours" })], { owner_id: "you" });
  await ingest(store, [{ stream: "events", key: "k", data: { id: "k", at: 5 }, emitted_at: EMITTED_AT }]);
  await ingest(store, [removal("messages", "k")]);
  const work = scopeOver("messages", { connection_id: "work" });
  assert.equal((await store.getRecord(work, refOf("k", "messages", "work")))?.data.subject, "at work");
  assert.equal((await store.getRecord(scopeOver("messages", {}, "you"), refOf("k")))?.data.subject, "yours");
  assert.equal((await store.getRecord(scopeOver("events"), refOf("k", "events")))?.data.at, 5);
  assert.equal(await store.getRecord(scopeOver(), refOf("k")), undefined);
});

/** Data that throws when it is read, as a bug or a full disk would. */
function unreadable(): RecordEnvelope {
  const data = {
    id: "x",
    get subject(): string {
      throw new Error("cannot be read");
    },
  };
  return { stream: "messages", key: "x", data, emitted_at: EMITTED_AT };
}
