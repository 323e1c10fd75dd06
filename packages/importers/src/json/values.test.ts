import assert from "node:assert/strict";
import { test } from "node:test";
import { asInteger } from "./values.ts";

test("a whole number, or the text of one, is an integer; a blank text is not", () => {
  assert.deepEqual([7, "7", " 7 ", -1].map(asInteger), [7, 7, 7, -1]);
  for (const value of ["", " ", "\t\n", "seven", "7.5", 7.5, 2 ** 53, null, true, [7]])
    assert.equal(asInteger(value), undefined, JSON.stringify(value));
});
