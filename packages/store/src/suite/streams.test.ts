import assert from "node:assert/strict";
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

testOnEachEngine("records are counted for each stream of the scope, in order", async ({ store }) => {
  await createOwner(store, { connections: ["work", "mail"] });
  await ingest(store, [
    message("a", { sent_at: "2026-01-01T00:00:00Z" }, "2026-02-02T00:00:00Z"),
    message("b", { sent_at: "2025-01-01T00:00:00Z" }, "2026-02-01T00:00:00Z"),
    { stream: "meters", key: "m", data: { id: "m", reading: 1 }, emitted_at: EMITTED_AT },
  ]);
  const streams = ["work", "mail"].flatMap((connection_id) =>
    ["meters", "messages"].flatMap((stream) => scopeOver(stream, { connection_id }).streams),
  );
  const day = (text: string) => Date.parse(text);
  assert.deepEqual(await store.describeStreams({ owner_id: OWNER, streams }), [
    {
      connection_id: "mail",
      stream: "messages",
      record_count: 2,
      time_range: { first_ms: day("2025-01-01"), last_ms: day("2026-01-01") },
      last_updated: "2026-02-01T00:00:00Z",
    },
    {
      connection_id: "mail",
      stream: "meters",
      record_count: 1,
      time_range: undefined,
      last_updated: EMITTED_AT,
    },
    {
      connection_id: "work",
      stream: "messages",
      record_count: 0,
      time_range: undefined,
      last_updated: undefined,
    },
    {
      connection_id: "work",
      stream: "meters",
      record_count: 0,
      time_range: undefined,
      last_updated: undefined,
    },
  ]);
  assert.deepEqual(await store.describeStreams({ owner_id: OWNER, streams: [] }), []);
});

testOnEachEngine(
  "R54 counts and times are those of the scope, and a hidden time is omitted",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [
      message("a", { sent_at: "2026-01-01T00:00:00Z", note: "n" }, "2026-03-01T00:00:00Z"),
    ]);
    await ingest(store, [
      message("b", { sent_at: "2020-01-01T00:00:00Z", note: "n" }, "2026-04-01T00:00:00Z"),
    ]);
    await ingest(store, [
      message("a", { sent_at: "2026-01-01T00:00:00Z", note: "m" }, "2026-05-01T00:00:00Z"),
    ]);
    const facts = async (limits: object) => (await store.describeStreams(scopeOver("messages", limits)))[0];
    const since = { since_ms: Date.UTC(2026, 0, 1) };
    assert.equal((await facts({}))?.last_updated, "2026-05-01T00:00:00Z");
    const limited = await facts({ time: since, fields: ["id", "sent_at"] });
    assert.equal(limited?.record_count, 1);
    assert.equal(limited?.time_range?.first_ms, since.since_ms);
    assert.equal(limited?.last_updated, "2026-03-01T00:00:00Z");
    const hidden = await facts({ fields: ["id", "note"] });
    assert.equal(hidden?.time_range, undefined);
    assert.equal((await facts({ record_ids: ["b"] }))?.last_updated, "2026-04-01T00:00:00Z");
  },
);

testOnEachEngine("a deleted record is no longer counted", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a"), message("b")]);
  await ingest(store, [removal("messages", "a")]);
  assert.equal((await store.describeStreams(scopeOver()))[0]?.record_count, 1);
});

testOnEachEngine(
  "R04 the connections that hold a record are listed in order, within the scope",
  async ({ store }) => {
    await createOwner(store, { connections: ["c", "a", "b"] });
    for (const connection_id of ["a", "b", "c"]) {
      await ingest(
        store,
        [message("k", { sent_at: `2026-0${connection_id === "b" ? 2 : 1}-01T00:00:00Z` })],
        { connection_id },
      );
    }
    const scopeOf = (...ids: string[]) => ({
      owner_id: OWNER,
      streams: ids.flatMap((connection_id) => scopeOver("messages", { connection_id }).streams),
    });
    assert.deepEqual(await store.locate(scopeOf("c", "b", "a"), "messages", "k"), ["a", "b", "c"]);
    assert.deepEqual(await store.locate(scopeOf("b"), "messages", "k"), ["b"]);
    assert.deepEqual(await store.locate(scopeOf("a", "b"), "messages", "none"), []);
    assert.deepEqual(await store.locate(scopeOf("a", "b"), "events", "k"), []);
    const limited = {
      owner_id: OWNER,
      streams: scopeOf("a", "b").streams.map((one) => ({ ...one, time: { since_ms: Date.UTC(2026, 1, 1) } })),
    };
    assert.deepEqual(await store.locate(limited, "messages", "k"), ["b"]);
  },
);

testOnEachEngine(
  "R51 R54 a record is read only under a scope that covers it, and only its granted fields",
  async ({ store }) => {
    await createOwner(store);
    await createOwner(store, { owner_id: "you" });
    await ingest(store, [
      message("a", { subject: "s", note: "n", body: "b".repeat(9_000), sent_at: "2026-01-01T00:00:00Z" }),
    ]);
    const read = (limits: object, owner_id = OWNER) =>
      store.getRecord(scopeOver("messages", limits, owner_id), refOf("a"));
    assert.equal(await read({}, "you"), undefined);
    for (const limits of [
      { connection_id: "work" },
      { stream: "events" },
      { record_ids: ["b"] },
      { time: { until_ms: Date.UTC(2026, 0, 1) } },
    ]) {
      assert.equal(await read(limits), undefined, JSON.stringify(limits));
    }
    const some = await read({ fields: ["id", "note", "nothing"] });
    assert.deepEqual([some?.data, some?.cuts], [{ id: "a", note: "n" }, []]);
    const none = await read({ fields: [] });
    assert.deepEqual([none?.data, none?.cuts], [{}, []]);
    const asked = await store.getRecord(scopeOver("messages", { fields: ["id", "body"] }), refOf("a"), [
      "body",
      "subject",
    ]);
    assert.deepEqual(Object.keys(asked?.data ?? {}), ["body"]);
    assert.deepEqual(
      asked?.cuts.map(({ path }) => path),
      ["body"],
    );
  },
);

testOnEachEngine(
  "R37 the longest value of each long field is reported, within the scope",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [
      message("a", {
        subject: "short",
        body: "😀".repeat(9_000),
        note: "n".repeat(8_000),
        sent_at: "2026-01-01T00:00:00Z",
      }),
      message("b", {
        body: "b".repeat(7_000),
        parts: [{ text: "p".repeat(5_000) }],
        sent_at: "2020-01-01T00:00:00Z",
      }),
    ]);
    const sizes = async (limits: object) =>
      (await store.describeSizes(scopeOver("messages", limits))).map(({ field, largest_chars }) => [
        field,
        largest_chars,
      ]);
    const parts = JSON.stringify([{ text: "p".repeat(5_000) }]).length;
    assert.deepEqual(await sizes({}), [
      ["body", 9_000],
      ["note", 8_000],
      ["parts", parts],
    ]);
    assert.deepEqual(
      await sizes({ fields: ["id", "body", "subject"], time: { until_ms: Date.UTC(2025, 0, 1) } }),
      [["body", 7_000]],
    );
    assert.deepEqual(await sizes({ record_ids: ["none"] }), []);
  },
);

testOnEachEngine("a stream's facts are current after every change", async ({ store, place }) => {
  await createOwner(store);
  const scope = scopeOver("messages");
  const facts = async () => {
    const [{ record_count, last_updated } = {}] = await store.describeStreams(scope);
    const sizes = await store.describeSizes(scope);
    return [record_count, last_updated, sizes.map(({ largest_chars }) => largest_chars)];
  };
  const long = (chars: number) => ({ body: "x".repeat(chars) });
  assert.deepEqual(await facts(), [0, undefined, []]);
  await ingest(store, [message("a", long(9_000), "2026-01-01T00:00:00Z")]);
  assert.deepEqual(await facts(), [1, "2026-01-01T00:00:00Z", [9_000]]);
  await ingest(store, [message("a", long(9_001), "2026-01-02T00:00:00Z")]);
  assert.deepEqual(await facts(), [1, "2026-01-02T00:00:00Z", [9_001]]);
  const other = await place.open();
  await ingest(other, [message("b", {}, "2026-01-03T00:00:00Z"), removal("messages", "a")]);
  await other.close();
  assert.deepEqual(await facts(), [1, "2026-01-03T00:00:00Z", []]);
  await ingest(store, [message("c", long(9_000)), message("d", { ...long(8_000), note: "n".repeat(7_000) })]);
  assert.deepEqual((await facts())[2], [9_000, 7_000]);
  await ingest(store, [removal("messages", "c")]);
  assert.deepEqual((await facts())[2], [8_000, 7_000], "the longest is gone: the next one counts");
  await ingest(store, [message("e", { note: "n".repeat(7_500) })]);
  assert.deepEqual((await facts())[2], [8_000, 7_500]);
});

testOnEachEngine(
  "a second request for a stream's facts does not count its records again",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a"), message("b")]);
    const scope = scopeOver("messages");
    const cost = async () => {
      const { statements } = store.traffic;
      await store.describeStreams(scope);
      await store.describeSizes(scope);
      return store.traffic.statements - statements;
    };
    const first = await cost();
    const second = await cost();
    assert.ok(second < first, `${first} statements, then ${second}`);
  },
);
