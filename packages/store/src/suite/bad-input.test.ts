/** Invalid input is refused with a code and a location, and leaves nothing behind. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ManifestStream, type RecordEnvelope, requireManifest } from "@rungs/contract";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { createManifest } from "../../../../testing/store/manifests.ts";
import {
  createOwner,
  EMITTED_AT,
  ingest,
  message,
  OWNER,
  refOf,
  scopeOver,
} from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";
import { assertRefused } from "./refusals.ts";

const LONE = "before \ud83d after";

interface Bad {
  readonly envelope: RecordEnvelope;
  readonly code: string;
  readonly param: string;
  readonly message?: RegExp;
}

function label(key: RecordEnvelope["key"], data: Record<string, unknown>): RecordEnvelope {
  return { stream: "labels", key, data, emitted_at: EMITTED_AT };
}

const bad: Readonly<Record<string, Bad>> = {
  "a lone surrogate in a text": {
    envelope: message("x", { subject: LONE }),
    code: "invalid_text",
    param: "subject",
    message: /character 7/,
  },
  "a lone surrogate in a nested value": {
    envelope: message("x", { parts: [{ text: "fine" }, { parts: [{ text: "\udc00" }] }] }),
    code: "invalid_text",
    param: "parts[1].parts[0].text",
  },
  "a lone surrogate in a property name": {
    envelope: message("x", { payload: { inner: { "\ud800": 1 } } }),
    code: "invalid_text",
    param: "payload.inner",
  },
  "a lone surrogate in a long text": {
    envelope: message("x", { body: `${"😀".repeat(9_000)}\ud83d` }),
    code: "invalid_text",
    param: "body",
    message: /character 9000/,
  },
  "a lone surrogate in a key": {
    envelope: message("x\udc00"),
    code: "invalid_key",
    param: "key",
    message: /Unicode/,
  },
  "an empty key": { envelope: message(""), code: "invalid_key", param: "key", message: /empty/ },
  "a key that is too long": {
    envelope: message("k".repeat(513)),
    code: "invalid_key",
    param: "key",
    message: /512/,
  },
  "a key with NUL": { envelope: message("a\u0000b"), code: "invalid_key", param: "key", message: /control/ },
  "a key with a line break": {
    envelope: message("a\nb"),
    code: "invalid_key",
    param: "key",
    message: /control/,
  },
  "a compound key that is too short": {
    envelope: label(["a"], { account: "a", number: 1, name: "n" }),
    code: "invalid_key",
    param: "key",
    message: /2 strings/,
  },
  "a plain key where a compound one is declared": {
    envelope: label("a", { account: "a", number: 1, name: "n" }),
    code: "invalid_key",
    param: "key",
  },
  "a key that differs from the data": {
    envelope: { ...message("x"), data: { id: "y" } },
    code: "invalid_record",
    param: "id",
    message: /primary key/,
  },
  "a missing field": {
    envelope: label(["a", "1"], { account: "a", number: 1 }),
    code: "invalid_record",
    param: "name",
  },
  "a value of the wrong type": {
    envelope: message("x", { size_bytes: "7" }),
    code: "invalid_record",
    param: "size_bytes",
  },
  "a nested value of the wrong type": {
    envelope: message("x", { parts: [{ text: "fine" }, { size: 1.5 }] }),
    code: "invalid_record",
    param: "parts[1].size",
  },
  "a field that is not declared": {
    envelope: message("x", { extra: 1 }),
    code: "invalid_record",
    param: "extra",
  },
  "an invalid time": {
    envelope: message("x", { sent_at: "soon" }),
    code: "invalid_record",
    param: "sent_at",
  },
  "an invalid date": {
    envelope: message("x", { due: "2026-02-30" }),
    code: "invalid_record",
    param: "due",
  },
  "a number that JSON cannot represent": {
    envelope: message("x", { amount: Number.NaN }),
    code: "invalid_record",
    param: "amount",
  },
  "a value that JSON cannot represent": {
    envelope: message("x", { payload: { when: undefined } }),
    code: "invalid_record",
    param: "payload.when",
  },
  "no data": {
    envelope: { stream: "messages", key: "x", emitted_at: EMITTED_AT },
    code: "invalid_record",
    param: "data",
  },
  "nesting that is too deep": {
    envelope: message("x", { payload: nest(100) }),
    code: "invalid_record",
    param: "payload",
  },
  "a consent time that cannot be parsed": {
    envelope: { stream: "events", key: "e", data: { id: "e", at: 1e300 }, emitted_at: EMITTED_AT },
    code: "invalid_record",
    param: "at",
  },
  "a stream that is not declared": {
    envelope: { ...message("x"), stream: "none" },
    code: "unknown_stream",
    param: "stream",
  },
  "a reference to a blob that does not exist": {
    envelope: message("x", { attachment: { blob_id: "ff", mime_type: "a/b", size_bytes: 1, sha256: "ff" } }),
    code: "blob_not_found",
    param: "attachment",
  },
};

testOnEachEngine(
  "a rejected record reports the problem and its location, and nothing of it is stored",
  async ({ store }) => {
    await createOwner(store);
    const before = await everything(store);
    for (const [what, { envelope, code, param, message: wanted }] of Object.entries(bad)) {
      const [outcome] = await store.ingest(OWNER, "mail", [envelope]);
      assert.ok(outcome?.status === "rejected", what);
      assert.equal(outcome.code, code, what);
      assert.ok(outcome.param?.startsWith(param), `${what}: ${outcome.param}`);
      assert.match(outcome.message, wanted ?? /./, what);
      assert.ok(!outcome.message.includes("before"), `${what}: nothing of the record is in the message`);
    }
    assert.deepEqual(await everything(store), before);
    const good = await store.ingest(OWNER, "mail", [
      message("good"),
      ...Object.values(bad).map(({ envelope }) => envelope),
    ]);
    assert.deepEqual(new Set(good.map(({ status }) => status)), new Set(["added", "rejected"]));
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine("R03 keys may have any characters, up to 512", async ({ store }) => {
  await createOwner(store);
  const random = new Random(3);
  const chars = (low: number, high: number) =>
    random.times(512, () => String.fromCodePoint(random.int(low, high))).join("");
  const keys = [
    "plain",
    "with space, comma 'quotes' \"double\" \\ / : .. % é 😀",
    "../../etc/passwd",
    "%00",
    "$1",
    "'; DROP TABLE records; --",
    "a".repeat(512),
    chars(0x4e00, 0x9fff),
    chars(0x20000, 0x2a6df),
    "\u200b\ufeff\u202e",
    "e\u0301",
    "é",
  ];
  await ingest(
    store,
    keys.map((key) => message(key, { sent_at: "2026-01-01T00:00:00Z" })),
  );
  for (const key of keys) assert.equal((await store.getRecord(scopeOver(), refOf(key)))?.data.id, key);
  const page = await store.listRecords(scopeOver(), { ...refOf(""), order: "asc", limit: 50 });
  assert.equal(page.records.length, keys.length);
  assert.deepEqual(
    await store.getRecord(scopeOver("messages", { record_ids: [keys[1] as string] }), refOf("plain")),
    undefined,
  );
});

testOnEachEngine("R03 property names may have any length and any characters", async ({ store }) => {
  await createOwner(store);
  const random = new Random(4);
  const name = random.times(400, () => String.fromCodePoint(random.int(0x4e00, 0x9fff))).join("");
  await ingest(store, [message("a", { payload: { [name]: "v", filler: "f".repeat(5_000) } })]);
  const slice = await store.readField(scopeOver(), refOf("a"), `payload.${name}`, { start: 0, end: 5 });
  assert.equal(slice?.text, "v");
});

testOnEachEngine("a compound key is its JSON", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [label(['a"b', "1"], { account: 'a"b', number: 1, name: "n" })]);
  const record_id = JSON.stringify(['a"b', "1"]);
  assert.equal((await store.getRecord(scopeOver("labels"), refOf(record_id, "labels")))?.data.name, "n");
});

testOnEachEngine("an id, blob, token or name that cannot be a key is not found", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { subject: "s" })]);
  for (const odd of ["a\u0000", "\u0000", "a\ud800"]) {
    assert.equal(await store.getRecord(scopeOver(), refOf(odd)), undefined);
    assert.deepEqual(await store.locate(scopeOver(), "messages", odd), []);
    assert.equal(await store.readField(scopeOver(), refOf(odd), "subject", { start: 0, end: 1 }), undefined);
    assert.equal(await store.getRecord(scopeOver("messages", { record_ids: [odd] }), refOf("a")), undefined);
    assert.equal(await store.describeBlob(scopeOver(), odd), undefined);
    assert.equal(await store.findToken(odd), undefined);
    assert.equal(await store.getGrant(OWNER, odd), undefined);
    assert.equal(await store.deleteRecord(OWNER, "mail", "messages", odd), false);
  }
});

test("a manifest with an unknown role or a remote reference is refused with its location", async () => {
  const remote = () => withSubject({ $ref: "https://elsewhere.example/person.json" });
  const role = () => withSubject({ type: "string", x_pdpp_role: "hero" });
  const first = await assertRefused(remote, "invalid_manifest");
  assert.equal(first.details.param, "streams[0].schema.properties.subject.$ref");
  const second = await assertRefused(role, "invalid_manifest");
  assert.equal(second.details.param, "streams[0].schema.properties.subject.x_pdpp_role");
  assert.match(second.message, /primary-title/);
  await assertRefused(
    () => requireManifest({ ...createManifest(), protocol_version: "9.9.9" }),
    "invalid_manifest",
  );
});

/** The suite's declaration with another schema for a message's subject. */
function withSubject(schema: object): unknown {
  return createManifest("1", ([messages]) => {
    const { properties } = (messages as ManifestStream).schema as { properties: Record<string, unknown> };
    properties.subject = schema;
  });
}

async function everything(store: Store): Promise<unknown> {
  return [
    await store.describeStreams(scopeOver()),
    await store.describeStreams(scopeOver("labels")),
    await store.describeStreams(scopeOver("events")),
    await store.listChanges(scopeOver(), { ...refOf(""), since: 0, limit: 9 }),
    await store.check(OWNER),
  ];
}

function nest(depth: number): unknown {
  return depth === 0 ? [] : [nest(depth - 1)];
}
