/** Under a scope that masks, the masked text is the text (R82): a store that was given the masked records answers the same. */
import assert from "node:assert/strict";
import type { StreamMasks, StreamScope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { copyAll, grantWith } from "../../../../testing/store/masked-copies.ts";
import {
  createOwner,
  ingest,
  message,
  OWNER,
  refOf,
  removal,
  scopeOver,
} from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";

const SEED = Number(process.env.RUNGS_MASKING_SEED ?? 1);
const masks: StreamMasks = { fields: ["id", "subject", "body", "attachment"], kinds: ["phone", "email"] };
const scope = scopeOver("messages", { masks });

testOnEachEngine(
  "R82 reads wait until the copy is complete, and it goes with its last grant",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a", { subject: "call +49 171 2345678" })]);
    await store.putGrant(OWNER, grantWith({ messages: masks }));
    const before = await listTables(store);
    await assert.rejects(store.getRecord(scope, refOf("a")), { code: "masking_unfinished" });
    await assert.rejects(store.readField(scope, refOf("a"), "subject", { start: 0, end: 9 }), {
      code: "masking_unfinished",
    });
    await copyAll(store);
    const { data } = (await store.getRecord(scope, refOf("a"))) ?? {};
    assert.match(String(data?.subject), /^call \[phone-[b-z]{8}\]$/);
    await store.revokeGrant(OWNER, "masked", "2026-01-02T00:00:00.000Z");
    await copyAll(store);
    assert.deepEqual(await listTables(store), before);
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine(
  "R82 a preview masks records as the copy has them, before there is one",
  async ({ store }) => {
    await createOwner(store);
    const long = `${"The roof leaks. ".repeat(600)} Call +49 171 2345678.`;
    await ingest(store, [
      message("jo@example.org", {
        subject: "call +49 171 2345678",
        note: "call +49 171 2345678",
        body: long,
      }),
    ]);
    const whole = scopeOver();
    const limits = { value_chars: 2_000, record_chars: 4_000 };
    const original = await store.getRecord(whole, refOf("jo@example.org"), undefined, limits);
    assert.ok(original);
    const [shown] = await store.maskRecords(OWNER, masks, [original]);
    await store.putGrant(OWNER, grantWith({ messages: masks }));
    await copyAll(store);
    const copied = await store.getRecord(scope, refOf(String(shown?.record_id)), undefined, limits);
    assert.match(String(shown?.record_id), /^\[key-/);
    assert.match(String(shown?.data.subject), /^call \[phone-[b-z]{8}\]$/);
    assert.equal(shown?.data.note, "call +49 171 2345678", "a field that is not masked");
    assert.deepEqual(shown?.data, copied?.data);
    assert.deepEqual(
      shown?.cuts.map(({ path, head }) => [path, head]),
      copied?.cuts.map(({ path, head }) => [path, head]),
    );
    assert.deepEqual(await store.maskRecords(OWNER, masks, []), []);
  },
);

testOnEachEngine("R82 a key with a masked value is a code, for every read and write", async ({ store }) => {
  await createOwner(store);
  await store.putGrant(OWNER, grantWith({ messages: masks }));
  await copyAll(store);
  await ingest(store, [message("jo@example.org", { subject: "one" }), message("b", { subject: "two" })]);
  const query = requireQuery("one");
  const { hits } = await store.search(scope, { query, limit: 9 });
  const key = String(hits[0]?.record_id);
  assert.match(key, /^\[key-[b-z]{20}\]$/);
  assert.equal((await store.getRecord(scope, refOf(key)))?.data.subject, "one");
  assert.equal(await store.getRecord(scope, refOf("jo@example.org")), undefined);
  const named = scopeOver("messages", { masks, record_ids: ["jo@example.org"] });
  const page = await store.listRecords(named, {
    connection_id: "mail",
    stream: "messages",
    order: "asc",
    limit: 9,
  });
  assert.deepEqual(
    page.records.map(({ record_id }) => record_id),
    [key],
  );
  await ingest(store, [removal("messages", "jo@example.org")]);
  assert.equal(await store.getRecord(scope, refOf(key)), undefined);
  await store.deleteRecord(OWNER, "mail", "messages", "b");
  assert.equal((await store.describeStreams(scope))[0]?.record_count, 0);
});

testOnEachEngine(
  "R82 links name a masked record by its masked key, and no digest remains",
  async ({ store }) => {
    await createOwner(store);
    const kinds = ["phone", "email"] as const;
    const files: StreamMasks = { fields: ["message_id", "name"], kinds: [...kinds] };
    await store.putGrant(OWNER, grantWith({ messages: masks, files }));
    const keys = ["17@mail.example~0123456789abcdef", "mail~0123456789abcdef0123456789abcdef"];
    const ingestWith = (key: string, name: string) =>
      ingest(store, [
        message(key, { subject: name }),
        {
          stream: "files",
          key: name,
          data: { id: name, message_id: key, name, made_at: "2026-01-01T00:00:00Z" },
          emitted_at: "2026-01-01T00:00:00Z",
        },
      ]);
    await ingestWith(keys[0] as string, "before");
    await copyAll(store);
    await ingestWith(keys[1] as string, "after");
    const list = async (stream: string, own: StreamMasks) => {
      const request = { connection_id: "mail", stream, order: "asc" as const, limit: 9 };
      return (await store.listRecords(scopeOver(stream, { masks: own }), request)).records;
    };
    const messages = await list("messages", masks);
    for (const { record_id, data } of messages) {
      assert.match(record_id, /^\[key-[b-z]{20}\]$/);
      assert.equal(data.id, record_id);
    }
    assert.deepEqual(
      new Set((await list("files", files)).map(({ data }) => data.message_id)),
      new Set(messages.map(({ record_id }) => record_id)),
    );
  },
);

testOnEachEngine("R82 R70 files and encoded bytes of masked fields are withheld", async ({ store }) => {
  await createOwner(store);
  const blob = await store.putBlob(
    OWNER,
    "mail",
    (async function* () {
      yield Buffer.from("call +49 171 2345678");
    })(),
    "text/plain",
  );
  const raw = Buffer.from("call +49 171 2345678").toString("base64");
  const all = { fields: ["attachment", "raw", "subject"], kinds: ["phone" as const] };
  const masked = scopeOver("messages", { masks: all });
  await store.putGrant(OWNER, grantWith({ messages: all }));
  await copyAll(store);
  await ingest(store, [message("a", { attachment: { ...blob, filename: "+49 171 2345678.txt" }, raw })]);
  const { data } = (await store.getRecord(masked, refOf("a"))) ?? {};
  assert.match(
    JSON.stringify(data?.attachment),
    /^\{"mime_type":"text\/plain","filename":"\[phone-[a-z]+\]\.txt"\}$/,
  );
  assert.match(String(data?.raw), /^\[bytes-/);
  assert.equal(await store.describeBlob(masked, blob.blob_id), undefined);
  assert.ok(await store.describeBlob(scopeOver(), blob.blob_id));
});

testOnEachEngine(
  "R82 digests and measures of a masked field go, whichever fields are masked",
  async ({ store }) => {
    await createOwner(store);
    const body: StreamMasks = { fields: ["body"], kinds: ["phone"] };
    await store.putGrant(OWNER, grantWith({ messages: body }));
    await copyAll(store);
    const key = "17@mail.example~0123456789abcdef";
    await ingest(store, [message(key, { body: "+49 171 2345678", size_bytes: 77 })]);
    const request = { connection_id: "mail", stream: "messages", order: "asc" as const, limit: 9 };
    const { records } = await store.listRecords(scopeOver("messages", { masks: body }), request);
    assert.match(records[0]?.record_id ?? "", /^\[key-[b-z]{20}\]$/);
    assert.equal(records[0]?.data.id, records[0]?.record_id);
    assert.equal("size_bytes" in (records[0]?.data ?? {}), false);
  },
);

testOnEachEngine("R82 measures of a masked text are left out", async ({ store }) => {
  await createOwner(store);
  const all: StreamMasks = { fields: ["subject", "size_bytes", "payload"], kinds: ["phone"] };
  await store.putGrant(OWNER, grantWith({ messages: all }));
  await copyAll(store);
  const page_starts = [0, 7, 14];
  await ingest(store, [
    message("a", {
      subject: "x",
      size_bytes: 77,
      amount: 5,
      payload: { page_starts, size_bytes: 1, pages: 2 },
    }),
  ]);
  const masked = scopeOver("messages", { masks: all });
  const whole = await store.getRecord(masked, refOf("a"));
  assert.deepEqual(whole?.data, { id: "a", subject: "x", amount: 5, payload: { pages: 2 } });
  const by_size = { field: "size_bytes", op: "equals" as const, value: 77 };
  const found = await store.getRecord(scopeOver("messages", { masks: all, where: [by_size] }), refOf("a"));
  assert.ok(found, "conditions compare it");
  const original = await store.getRecord(scopeOver(), refOf("a"));
  const [shown] = original ? await store.maskRecords(OWNER, all, [original]) : [];
  assert.deepEqual(shown?.data, whole?.data);
});

testOnEachEngine("R82 windows of any size, joined, are the masked field", async ({ store }) => {
  await createOwner(store);
  await store.putGrant(OWNER, grantWith({ messages: masks }));
  await copyAll(store);
  const random = new Random(SEED);
  const value = () =>
    random.pick([`p${random.int(0, 9)}@${"x".repeat(random.int(1, 60))}.org`, "+49 171 2345678", "東京 "]);
  const body = random.times(3000, () => `${value()} word🦅 `).join("");
  await ingest(store, [message("a", { body })]);
  const facts = await store.describeField(scope, refOf("a"), "body");
  assert.ok(facts);
  for (let size = 1; size < 9_000; size = size * 3 + 1) {
    const start = random.int(0, facts.size_chars - size);
    const windows: string[] = [];
    for (let from = start; from < Math.min(start + 30 * size, facts.size_chars); from += size)
      windows.push(
        (await store.readField(scope, refOf("a"), "body", { start: from, end: from + size }))?.text ?? "",
      );
    const end = Math.min(start + Math.ceil(30) * size, facts.size_chars);
    const joined = windows.join("");
    const whole = await store.readField(scope, refOf("a"), "body", { start, end });
    assert.equal(joined.slice(0, whole?.text.length), whole?.text);
    assert.doesNotMatch(joined, /@x|\+49 1/);
  }
});

async function listTables(store: Store): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await store.dump(async ({ table, rows }) => {
    if (table !== "secrets" && table !== "grants") counts[table] = (counts[table] ?? 0) + rows.length;
  });
  return counts;
}

testOnEachEngine("R80 R81 R82 conditions and exclusions compare what is masked", async ({ store }) => {
  await createOwner(store);
  const byCode: StreamMasks = { fields: ["code"], kinds: ["email"] };
  await ingest(store, [message("before", { code: "Doctor@clinic.example" })]);
  await store.putGrant(OWNER, grantWith({ messages: byCode }));
  await copyAll(store);
  await ingest(store, [
    message("after", { code: "doctor@clinic.example" }),
    message("b", { code: "ann@x.example" }),
  ]);
  const list = async (limits: Partial<StreamScope>) => {
    const request = { connection_id: "mail", stream: "messages", order: "asc" as const, limit: 9 };
    const { records } = await store.listRecords(scopeOver("messages", { masks: byCode, ...limits }), request);
    assert.ok(!JSON.stringify(records).includes("@"));
    return records.map(({ record_id }) => record_id);
  };
  const doctor = { field: "code", op: "equals" as const, value: "doctor@clinic.example" };
  assert.deepEqual(await list({ never: { conditions: [doctor], record_ids: [] } }), ["b"]);
  assert.deepEqual(await list({ where: [doctor] }), ["after", "before"]);
  await ingest(store, [message("b", { code: "doctor@clinic.example" })]);
  assert.deepEqual(await list({ never: { conditions: [doctor], record_ids: [] } }), []);
  await store.rebuild(OWNER);
  await copyAll(store);
  assert.deepEqual(await list({ never: { conditions: [doctor], record_ids: [] } }), []);
});
