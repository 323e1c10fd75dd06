import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRecordPage, requireRecordOfPage } from "./record-page.ts";

const KEYS = [
  "m-1",
  "a/b",
  "..",
  '["a","b"]',
  "über 😀, 'quoted'",
  "x".repeat(500),
  "line\nbreak",
  "漢字".repeat(200),
];

test("R32 the page of a record leads back to the record for any key", () => {
  for (const record_id of KEYS) {
    const ref = { connection_id: "mail-home", stream: "messages", record_id };
    const { pathname } = new URL(formatRecordPage(ref), "http://localhost");
    const name = pathname.slice("/console/records/".length);
    assert.ok(!name.includes("/"), record_id);
    assert.deepEqual(requireRecordOfPage(decodeURIComponent(name)), ref);
  }
});

test("a page that names no record is rejected", () => {
  for (const name of ["nonsense", "https://example.org/", "c/s:", ""]) {
    assert.throws(() => requireRecordOfPage(name), { code: "invalid_record_id" });
  }
});
