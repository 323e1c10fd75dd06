import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { exampleManifest as mail } from "../manifest/example-manifest.ts";
import { requireManifest } from "../manifest/require-manifest.ts";
import { type RecordEnvelope, recordEnvelopeSchema } from "./record.ts";
import { createRecordCheck } from "./record-check.ts";

const [checkMessage, checkLabel] = requireManifest(mail).streams.map(createRecordCheck);
const emitted_at = "2026-04-01T00:00:00Z";

function message(data: Record<string, unknown>, key: string | string[] = "m1"): RecordEnvelope {
  return { stream: "messages", key, data: { id: typeof key === "string" ? key : "m1", ...data }, emitted_at };
}

function assertRefused(envelope: RecordEnvelope, code: string, param: string, check = checkMessage!): void {
  assert.throws(
    () => check(envelope),
    (error: { code?: string; details?: { param?: string } }) => {
      assert.deepEqual({ code: error.code, param: error.details?.param }, { code, param });
      return true;
    },
  );
}

test("a valid record yields its canonical key", () => {
  assert.equal(
    checkMessage!(message({ subject: null, parts: [{ text: "a", parts: [{ text: "b" }] }] })),
    "m1",
  );
  const label = {
    stream: "labels",
    key: ["me", "7"],
    data: { account: "me", number: 7, name: "x" },
    emitted_at,
  };
  assert.equal(checkLabel!(label), '["me","7"]');
});

test("a deletion needs a key and no data", () => {
  assert.equal(checkMessage!({ stream: "messages", key: "m1", op: "delete", emitted_at }), "m1");
  assertRefused({ stream: "messages", key: "", op: "delete", emitted_at }, "invalid_key", "key");
  assertRefused({ stream: "messages", key: "m1", emitted_at }, "invalid_record", "data");
});

test("R03 any visible text is a valid key: spaces, commas, quotes, emoji, 500 characters", () => {
  for (const key of ["a b", "a,b", 'it\'s "x"', "🙂", "é".repeat(500), "a/b", "..", '["a","b"]']) {
    assert.equal(checkMessage!(message({}, key)), key);
  }
});

suite("a key is refused with invalid_key when", () => {
  test("it is empty, too long, malformed or has control characters", () => {
    for (const key of ["", "🙂".repeat(513), "a\ud800", "a\u0000", "a\nb", "\u0085"]) {
      assertRefused(message({}, key), "invalid_key", "key");
    }
    assert.equal(checkMessage!(message({}, "🙂".repeat(512))), "🙂".repeat(512));
  });

  test("it has a different number of parts than the primary key", () => {
    assertRefused(message({}, ["m1"]), "invalid_key", "key");
    for (const key of ["me", ["me"], ["me", "7", "8"]]) {
      assertRefused({ stream: "labels", key, data: {}, emitted_at }, "invalid_key", "key", checkLabel!);
    }
  });
});

test("a key that differs from the primary key in data is refused", () => {
  assertRefused(message({ id: "m2" }), "invalid_record", "id");
  const data = { account: "me", number: 7, name: "x" };
  assertRefused(
    { stream: "labels", key: ["me", "07"], data, emitted_at },
    "invalid_record",
    "number",
    checkLabel!,
  );
});

test("R22 a lone surrogate anywhere is refused with its location and offset", () => {
  const cases: [Record<string, unknown>, string, number][] = [
    [{ body: "🙂a\udc00" }, "body", 2],
    [{ parts: [{ text: "ok" }, { text: "\ud83d" }] }, "parts[1].text", 0],
    [{ from: { "a\ud800": 1 } }, "from", 1],
    [{ "\ud800": 1 }, "data", 0],
  ];
  for (const [data, param, offset_chars] of cases) {
    assert.throws(
      () => checkMessage!(message(data)),
      (error: { code?: string; details?: Record<string, unknown> }) => {
        assert.equal(error.code, "invalid_text");
        assert.equal(error.details?.param, param);
        assert.equal(error.details?.offset_chars, offset_chars);
        return true;
      },
    );
  }
});

test("a field that the stream does not declare is refused by name", () => {
  assertRefused(message({ surprise: 1 }), "invalid_record", "surprise");
  assertRefused(message({ toString: 1 }), "invalid_record", "toString");
});

test("data that breaks its schema is refused with the path", () => {
  assertRefused(message({ size_bytes: -1 }), "invalid_record", "size_bytes");
  assertRefused(message({ parts: [{ text: "a" }, {}] }), "invalid_record", "parts[1].text");
  assertRefused(message({ sent_at: "yesterday" }), "invalid_record", "sent_at");
});

test("data that is not JSON, too deep or unsafe is refused", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 63; level += 1) deep = [deep];
  assert.equal(checkMessage!(message({ anything: deep })), "m1");
  assertRefused(message({ anything: [deep] }), "invalid_record", `anything${"[0]".repeat(63)}`);
  assertRefused(message({ anything: Number.NaN }), "invalid_record", "anything");
  assertRefused(message({ anything: [undefined] }), "invalid_record", "anything[0]");
  assertRefused(message({ anything: JSON.parse('{"__proto__": 1}') }), "invalid_record", "anything");
});

test("an error never quotes the record's content", () => {
  const secret = "s3cret";
  const values = [
    { size_bytes: secret },
    { sent_at: secret },
    { unread: secret },
    { from: [secret] },
    { id: secret },
  ];
  for (const data of values) {
    assert.throws(
      () => checkMessage!(message(data)),
      (error: Error) => !error.message.includes(secret),
    );
  }
});

test("any JSON in an open field is accepted unchanged", () => {
  const json = fc.jsonValue({ maxDepth: 5 }).filter((value) => JSON.stringify(value).isWellFormed());
  fc.assert(
    fc.property(json, (anything) => {
      fc.pre(
        !JSON.stringify(anything).includes("__proto__") && !/\\ud[89a-f]/.test(JSON.stringify(anything)),
      );
      const before = JSON.stringify(anything);
      checkMessage!(message({ anything }));
      return JSON.stringify(anything) === before;
    }),
  );
});

test("an envelope has no other members, and its time has an offset", () => {
  assert.ok(recordEnvelopeSchema.safeParse(message({})).success);
  for (const change of [
    { emitted_at: "2026-04-01" },
    { op: "replace" },
    { key: [] },
    { key: 4 },
    { extra: 1 },
  ]) {
    assert.equal(recordEnvelopeSchema.safeParse({ ...message({}), ...change }).success, false);
  }
});
