import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeBlobText, isTextType } from "./read-blob.ts";

test("R33 text read in parts of any size joins to the whole text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 4, max: 9 }), (text, size) => {
      const bytes = Buffer.from(text);
      let joined = "";
      for (let start = 0; start < bytes.length; ) {
        const end = Math.min(bytes.length, start + size);
        const { text: part, used_bytes } = decodeBlobText(bytes.subarray(start, end), end === bytes.length);
        assert.ok(used_bytes > 0);
        joined += part;
        start += used_bytes;
      }
      assert.equal(joined, text);
    }),
  );
});

test("R33 only text types are shown as text", () => {
  for (const type of ["text/plain", "text/html; charset=utf-8", "application/json", "image/svg+xml"]) {
    assert.ok(isTextType(type), type);
  }
  for (const type of ["application/pdf", "image/png", "application/octet-stream", "application/jsonx"]) {
    assert.ok(!isTextType(type), type);
  }
});
