import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyRef, anyText } from "../../../../testing/arbitraries.ts";
import { encodeBase64Url } from "./base64url.ts";
import { formatFieldWindowUri, formatRecordUri, parseFieldWindowUri, parseRecordUri } from "./handle.ts";
import type { WindowSelector } from "./selector.ts";

const ref = { connection_id: "acct-1", stream: "messages", record_id: "a/b" };

const plain = { noNullPrototype: true };
const limit = fc.integer({ min: 1, max: 16384 });
const around = fc.nat(8192);

const anySelector: fc.Arbitrary<WindowSelector> = fc.oneof(
  fc.record({ kind: fc.constant("offset"), offset_chars: fc.nat(), limit_chars: limit }, plain),
  fc.record({ kind: fc.constant("cursor"), cursor: fc.string() }, plain),
  fc.record({ kind: fc.constant("match"), q: anyText, before_chars: around, after_chars: around }, plain),
);

function recordUri(handle: unknown): string {
  return `pdpp://record/${encodeBase64Url(JSON.stringify(handle))}`;
}

test("R07 a record's URI is base64url JSON of exactly the named parts", () => {
  const uri = formatRecordUri(ref);
  const json = Buffer.from(uri.slice("pdpp://record/".length), "base64url").toString();
  assert.deepEqual(JSON.parse(json), { v: 1, kind: "record", ...ref });
  assert.deepEqual(parseRecordUri(uri), ref);
});

test("R40 a window's URI round-trips record, field path and selector", () => {
  fc.assert(
    fc.property(anyRef, anySelector, (record, selector) => {
      const window = { ...record, field_path: "payload.parts[2].text", selector };
      assert.deepEqual(parseFieldWindowUri(formatFieldWindowUri(window)), window);
      assert.equal(parseRecordUri(formatFieldWindowUri(window)), undefined);
      assert.equal(parseFieldWindowUri(formatRecordUri(record)), undefined);
    }),
  );
});

test("R06 a handle with anything missing, added or out of bounds is rejected", () => {
  const good = { v: 1, kind: "record", ...ref };
  assert.ok(parseRecordUri(recordUri(good)));
  const bad: unknown[] = [
    { ...good, v: 2 },
    { ...good, kind: "field-window" },
    { ...good, more: true },
    { ...good, connection_id: "../x" },
    { ...good, stream: "" },
    { ...good, record_id: "" },
    { ...good, record_id: "k".repeat(1025) },
    { v: 1, kind: "record", stream: "s", record_id: "a" },
    [good],
    null,
  ];
  for (const handle of bad)
    assert.equal(parseRecordUri(recordUri(handle)), undefined, JSON.stringify(handle));
  for (const uri of [
    "pdpp://record/",
    "pdpp://record/e",
    "pdpp://record/not json",
    `${recordUri(good)}=`,
    "x",
  ]) {
    assert.equal(parseRecordUri(uri), undefined, uri);
  }
  const long = recordUri({ ...good, record_id: "k".repeat(40_000) });
  assert.equal(parseRecordUri(long), undefined);
  const badPath = formatFieldWindowUri({
    ...ref,
    field_path: "a..b",
    selector: { kind: "cursor", cursor: "x" },
  });
  assert.equal(parseFieldWindowUri(badPath), undefined);
});

test("any string is a record's URI or undefined, never an exception", () => {
  fc.assert(fc.property(fc.string(), (text) => parseRecordUri(`pdpp://record/${text}`) === undefined));
});
