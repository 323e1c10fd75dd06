import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldShape } from "../manifest/stream-shape.ts";
import { parseCondition } from "./condition-text.ts";
import { findConditionFault, fitCondition } from "./resolve-where.ts";

const field = (types: FieldShape["types"], more: Partial<FieldShape> = {}): FieldShape => ({
  name: "f",
  types,
  required: false,
  lexical: [],
  scalar: true,
  filterable: true,
  aggregatable: true,
  ...more,
});
const text = field(["string"]);
const number = field(["integer"]);
const both = field(["string", "number", "null"]);
const time = field(["string"], { format: "date-time" });

test("R80 a condition's values take the types of the field", () => {
  for (const [written, shape, expected] of [
    ["f is 2024", text, "2024"],
    ["f is 007", text, "007"],
    ["f is 12345678901234567890", text, "12345678901234567890"],
    ["f is 1.50", text, "1.50"],
    ["f is true", text, "true"],
    ["f is 5", field([], { listed: ["string"] }), "5"],
    ['f is "5"', number, 5],
    ["f is 007", number, 7],
    ['f is "true"', field(["boolean"]), true],
    ["f is x", number, "x"],
  ] as const)
    assert.deepEqual(
      fitCondition(parseCondition(written), shape),
      { field: "f", op: "equals", value: expected },
      written,
    );
  assert.deepEqual(fitCondition(parseCondition("f is 5"), both), { field: "f", op: "in", values: ["5", 5] });
  assert.deepEqual(fitCondition(parseCondition('f not in "5", x'), both), {
    field: "f",
    op: "not_in",
    values: ["5", 5, "x"],
  });
});

test("R80 a condition that no value of the field can meet has a fault", () => {
  for (const [written, shape, fault] of [
    ["f is x", number, /must be a number/],
    ["f in 1, x", number, /must be a number/],
    ["f is maybe", field(["boolean"]), /true or false/],
    ["f > 3", text, /no order/],
    ["f >= 2026", time, /must be a time such as/],
    ["f starts with 2026-01", time, /beginning of a time/],
    ["f starts with 1", number, /is not text/],
  ] as const)
    assert.match(findConditionFault(parseCondition(written), shape) ?? "", fault, written);
  for (const [written, shape] of [
    ["f > 3", number],
    ["f > 3", both],
    ["f >= 100.50", number],
    ["f >= 2026-01-01", time],
    ["f starts with x", both],
    ["f is present", text],
  ] as const)
    assert.equal(findConditionFault(parseCondition(written), shape), undefined, written);
});
