import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatResume, parseResume } from "./resume.ts";

test("a checkpoint round-trips, whatever the path", () => {
  const path = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("1 2 3", " a\nb ", "7 x.json"));
  fc.assert(
    fc.property(path, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), (path, counts) => {
      assert.deepEqual(parseResume(formatResume(path, ...counts), counts.length), { path, counts });
    }),
  );
});

test("any other text resumes from the beginning", () => {
  for (const text of [undefined, "", "1", "1 ", "a b.json", "-1 b.json", '["b.json",2]']) {
    assert.equal(parseResume(text), undefined, text);
  }
  assert.equal(parseResume("1 b.json", 2), undefined);
});
