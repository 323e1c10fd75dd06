import assert from "node:assert/strict";
import { test } from "node:test";
import { createValueTest } from "./match-value.ts";

test("R81 a pattern finds other forms of the characters, at any depth", () => {
  const matches = createValueTest("(?i)Müller|CASE-\\d+");
  for (const value of [
    "mu\u0308ller",
    "Mül\u00adler",
    { deep: [{ ＭÜＬＬＥＲ: 1 }] },
    "ＣＡＳＥ－１２",
    "CASE–12",
    "case&#45;12",
    ["CASE\u200b-٣"],
  ])
    assert.ok(matches(value), JSON.stringify(value));
  for (const value of ["Muller", "CASE 12", 12, null, { case: "12" }])
    assert.equal(matches(value), false, JSON.stringify(value));
  assert.ok(createValueTest("Mu\u0308ller")("Müller"), "an expression with accents apart");
  assert.ok(createValueTest("–")("a – b"), "characters as they are");
});
