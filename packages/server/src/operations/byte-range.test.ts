import assert from "node:assert/strict";
import { test } from "node:test";
import { requireByteRange } from "./read-blob.ts";

test("R33 clamps ranges to the blob, and refuses one outside it with the size", () => {
  assert.deepEqual(requireByteRange("bytes=0-", 10), { start: 0, end: 10 });
  assert.deepEqual(requireByteRange("bytes=3-3", 10), { start: 3, end: 4 });
  assert.deepEqual(requireByteRange("bytes=3-99", 10), { start: 3, end: 10 });
  assert.deepEqual(requireByteRange("bytes=-4", 10), { start: 6, end: 10 });
  assert.deepEqual(requireByteRange("bytes=-40", 10), { start: 0, end: 10 });
  for (const header of ["bytes=10-", "bytes=5-4", "bytes=-0"]) {
    assert.throws(() => requireByteRange(header, 10), { code: "range_not_satisfiable" });
  }
  assert.throws(() => requireByteRange("bytes=0-", 0), { code: "range_not_satisfiable" });
});
