/** Which values of a record are whole is decided by the record and the fields at hand, not by the declaration. */
import assert from "node:assert/strict";
import { countChars, formatFieldPath } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, refOf, scopeOver } from "../../../../testing/store/world.ts";
import { measureTraffic } from "./traffic.ts";

const PREVIEW = { value_chars: 4_096, record_chars: 32_768 };

testOnEachEngine("R30 values up to the limit are whole, wherever they are stored", async ({ store }) => {
  await createOwner(store);
  const payload = { list: Array.from({ length: 200 }, (_, at) => ({ at, word: "漢字" })) };
  const data = { subject: "s".repeat(4_096), body: "漢".repeat(4_096), note: "n".repeat(4_097), payload };
  await ingest(store, [message("a", data)]);
  const record = await store.getRecord(scopeOver(), refOf("a"), undefined, PREVIEW);
  assert.equal(record?.data.subject, data.subject);
  assert.equal(record?.data.body, data.body);
  assert.deepEqual(record?.data.payload, countChars(JSON.stringify(payload)) <= 4_096 ? payload : null);
  assert.deepEqual([record?.data.note, record?.cuts[0]?.size_chars], ["n".repeat(1_024), 4_097]);
  const alone = await store.getRecord(scopeOver(), refOf("a"), ["note"], {
    value_chars: 5_000,
    record_chars: 5_000,
  });
  assert.deepEqual([alone?.data, alone?.cuts], [{ note: data.note }, []]);
});

testOnEachEngine(
  "R31 the values of a preview together have a bound, and shorter ones are whole first",
  async ({ store }) => {
    await createOwner(store);
    const long = Object.fromEntries(
      ["subject", "body", "note", "label"].map((name) => [name, name[0]?.repeat(4_000)]),
    );
    const code = "c".repeat(300);
    await ingest(store, [message("a", { ...long, code })]);
    const limits = { value_chars: 4_096, record_chars: 8_000 };
    const record = await store.getRecord(scopeOver(), refOf("a"), undefined, limits);
    assert.equal(record?.data.code, code);
    assert.deepEqual(
      record?.cuts.map(({ path, size_chars }) => [path, size_chars]).toSorted(),
      Object.keys(long)
        .map((name) => [formatFieldPath([name]), 4_000])
        .toSorted(),
    );
    const shown = Object.values(record?.data ?? {}).reduce<number>(
      (sum, value) => sum + String(value).length,
      0,
    );
    assert.ok(shown <= 8_000);
    const two = await store.getRecord(scopeOver(), refOf("a"), ["subject", "body"], limits);
    assert.deepEqual(two?.cuts, [], "a projection has all of the room");
  },
);

testOnEachEngine("R54 a hidden field changes nothing of what is whole", async ({ store }) => {
  await createOwner(store);
  const body = "b".repeat(4_000);
  await ingest(store, [
    message("a", { body }),
    message("b", { body, note: "n".repeat(90_000), subject: "s".repeat(3_000) }),
  ]);
  const fields = ["body"];
  const limits = { value_chars: 4_096, record_chars: 4_500 };
  const read = async (key: string) => {
    const record = await store.getRecord(scopeOver("messages", { fields }), refOf(key), undefined, limits);
    return [record?.data, record?.cuts];
  };
  assert.deepEqual(await read("b"), await read("a"));
  assert.deepEqual(await read("b"), [{ body }, []]);
});

testOnEachEngine("R25 a preview reads no chunk of a value that it cuts", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("a", { subject: "short", body: "x".repeat(2_000_000), note: "n".repeat(4_000) }),
  ]);
  const { bytes, rows } = await measureTraffic(store, () =>
    store.getRecord(scopeOver(), refOf("a"), undefined, PREVIEW),
  );
  assert.ok(bytes < 24_000 && rows < 12, `${bytes} bytes in ${rows} rows`);
});

testOnEachEngine(
  "a page ends before the record that would make it too long, and goes on there",
  async ({ store }) => {
    await createOwner(store);
    const keys = ["a", "b", "c", "d"];
    await ingest(
      store,
      keys.map((key) => message(key, { body: "w ".repeat(10_000) })),
    );
    const limits = { ...PREVIEW, page_chars: 45_000 };
    const at = { connection_id: refOf("a").connection_id, stream: "messages" };
    const first = await store.listRecords(scopeOver(), { ...at, order: "asc", limit: 10, limits });
    assert.deepEqual(
      first.records.map(({ record_id }) => record_id),
      ["a", "b"],
    );
    const next = await store.listRecords(scopeOver(), {
      ...at,
      order: "asc",
      limit: 10,
      limits,
      after: first.next,
    });
    assert.deepEqual([next.records.map(({ record_id }) => record_id), next.next], [["c", "d"], undefined]);
    const changes = await store.listChanges(scopeOver(), { ...at, since: 0, limit: 10, limits });
    assert.equal(changes.changes.length, 2);
    const rest = await store.listChanges(scopeOver(), {
      ...at,
      since: 0,
      limit: 10,
      limits,
      after: changes.next,
      horizon: changes.horizon,
    });
    assert.deepEqual([rest.changes.length, rest.next], [2, undefined]);
    const tiny = await store.listRecords(scopeOver(), {
      ...at,
      order: "asc",
      limit: 10,
      limits: { ...limits, page_chars: 1 },
    });
    assert.equal(tiny.records.length, 1, "never empty");
  },
);
