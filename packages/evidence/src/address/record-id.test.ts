import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyRef } from "../../../../testing/arbitraries.ts";
import { CodedError } from "../coded-error.ts";
import { formatRecordUri } from "./handle.ts";
import { formatRecordId, identifyRecord, parseRecordId } from "./record-id.ts";
import { canonicalKey } from "./record-ref.ts";

const at = (record_id: string, stream = "messages") => ({ connection_id: "acct-1", stream, record_id });

function refusalOf(run: () => unknown): CodedError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof CodedError, String(error));
    return error;
  }
  assert.fail("nothing was refused");
}

test("R01 R03 any key round-trips through the id that shows it", () => {
  fc.assert(
    fc.property(anyRef, (ref) => {
      assert.deepEqual(parseRecordId(formatRecordId(ref)), ref);
      assert.deepEqual(parseRecordId(formatRecordUri(ref)), ref);
    }),
    { numRuns: 1000 },
  );
});

test("R03 an id is one line, and nothing in it reorders or hides text", () => {
  fc.assert(
    fc.property(anyRef, (ref) => {
      assert.doesNotMatch(formatRecordId(ref), /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{e0020}-\u{e007f}]/u);
    }),
    { numRuns: 1000 },
  );
});

test("R03 ordinary keys, compound keys, spaces, commas, quotes, emoji and 500 characters are shown as they are", () => {
  const keys = [
    "abc",
    "2026-04-01T10:00:00Z",
    canonicalKey(["user 123", "a,b"]),
    `it's "so"`,
    "😀",
    "k".repeat(500),
    " lead and  double trail ",
    "e\u0301",
    "👨‍👩‍👧",
    "❤\ufe0f",
    "می\u200cخواهم",
    "a\u00a0b",
  ];
  for (const key of keys) assert.equal(formatRecordId(at(key)), `acct-1/messages:${key}`);
});

test("R03 keys outside the grammar, or that would break the line, are shown as a URI", () => {
  const keys = [
    "a/b",
    "a\nb",
    "\u0000",
    "..",
    ".",
    "a\\..\\b",
    "%2e%2e",
    "a\u2028b",
    "\u202eabc",
    "a\u2066b",
    "🏴\u{e0067}\u{e007f}",
    "pdpp://record/x",
    "zero\u200bwidth",
    "\ufeffmark",
    "soft\u00adhyphen",
    "word\u2060joiner",
    "\u3164",
  ];
  for (const key of keys) assert.match(formatRecordId(at(key)), /^pdpp:\/\/record\/[A-Za-z0-9_-]+$/, key);
  assert.match(formatRecordId(at("a", "x:y")), /^pdpp:/);
});

test("R02 R03 an id copied without its invisible characters still works", () => {
  const invisible = /[\u00ad\u115f\u1160\u17b4\u17b5\u200b\u2060-\u206f\u3164\ufeff\uffa0]/gu;
  const key = fc
    .array(
      fc.constantFrom("a", "漢", "😀", " ", "\u200b", "\ufeff", "\u00ad", "\u2060", "\u3164", "e\u0301"),
      {
        minLength: 1,
      },
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(key, (record_id) => {
      const ref = at(record_id);
      const copied = formatRecordId(ref).replaceAll(invisible, "");
      assert.deepEqual(parseRecordId(copied), ref);
    }),
  );
});

test("R04 a legacy id names no connection, and takes the one it is given", () => {
  assert.deepEqual(parseRecordId("messages:a:b"), {
    connection_id: undefined,
    stream: "messages",
    record_id: "a:b",
  });
  assert.equal(parseRecordId("messages:a", "acct-2").connection_id, "acct-2");
});

test("R05 an id with a different connection_id is rejected", () => {
  assert.equal(parseRecordId("acct-1/messages:a", "acct-1").connection_id, "acct-1");
  for (const id of ["acct-1/messages:a", formatRecordUri(at("a"))]) {
    const refusal = refusalOf(() => parseRecordId(id, "acct-2"));
    assert.equal(refusal.code, "connection_conflict");
    assert.equal(refusal.details.param, "connection_id");
  }
});

test("R06 a bad segment is rejected by name", () => {
  const cases: [string, string][] = [
    ["", "id"],
    ["messages", "id"],
    ["acct-1/messages", "id"],
    [":a", "stream"],
    ["/messages:a", "connection_id"],
    ["acct-1/:a", "stream"],
    ["acct-1/messages:", "record_id"],
    ["acct-1/x/messages:a", "stream"],
    ["acct-1/messages:a/b", "record_id"],
    ["messages:a/../b", "record_id"],
    ["../messages:a", "connection_id"],
    ["acct-1/..:a", "stream"],
    ["acct-1/messages:..", "record_id"],
    ["acct-1/messages:%2E%2e", "record_id"],
    ["acct-1/messages:a\u0000", "record_id"],
    ["acct-1/mes\nsages:a", "stream"],
    ["acct 1/messages:a", "connection_id"],
    [`acct-1/${"s".repeat(129)}:a`, "stream"],
    [`acct-1/messages:${"k".repeat(1025)}`, "record_id"],
    ["acct-1/messages:\ud800", "record_id"],
    ["pdpp://record/e30", "id"],
    ["pdpp://field-window/e30", "id"],
  ];
  for (const [id, segment] of cases) {
    const refusal = refusalOf(() => parseRecordId(id));
    assert.equal(refusal.code, "invalid_record_id", id);
    assert.equal(refusal.details.segment, segment, id);
    assert.equal(refusal.details.param, "id");
    assert.match(refusal.message, new RegExp(`^${segment}`));
  }
  assert.equal(refusalOf(() => parseRecordId("messages:a", "..")).details.param, "connection_id");
});

test("R09 a URL is never a record", () => {
  for (const url of ["https://example.org/a:b", "http://x", "file:///etc/passwd", "HTTPS://x/messages:a"]) {
    assert.match(refusalOf(() => parseRecordId(url)).message, /URL/);
  }
});

test("a record's identity has its id and its three parts, and nothing else", () => {
  const ref = { ...at("a"), grant_key: "not for answers" };
  assert.deepEqual(identifyRecord(ref), { id: "acct-1/messages:a", ...at("a") });
});
