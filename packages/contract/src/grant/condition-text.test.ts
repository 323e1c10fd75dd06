import assert from "node:assert/strict";
import { test } from "node:test";
import { type Condition, conditionSchema } from "./condition.ts";
import { parseCondition, renderCondition } from "./condition-text.ts";

const cases: readonly (readonly [written: string, condition: Condition])[] = [
  ['labels includes "tax"', { field: "labels", op: "equals", value: "tax" }],
  ["labels is tax", { field: "labels", op: "equals", value: "tax" }],
  ['labels in "tax", "house"', { field: "labels", op: "in", values: ["tax", "house"] }],
  ["labels=tax 2025", { field: "labels", op: "equals", value: "tax 2025" }],
  ['to excludes "a@b.example"', { field: "to", op: "not_in", values: ["a@b.example"] }],
  ["labels not in spam, trash", { field: "labels", op: "not_in", values: ["spam", "trash"] }],
  ['folder starts with "Work/"', { field: "folder", op: "prefix", value: "Work/" }],
  ["amount >= 100", { field: "amount", op: "range", gte: 100 }],
  ["date<2026-01-01", { field: "date", op: "range", lt: "2026-01-01" }],
  ["unread is true", { field: "unread", op: "equals", value: true }],
  ['channel is "100"', { field: "channel", op: "equals", value: "100" }],
  ["labels is present", { field: "labels", op: "present" }],
  ["labels absent", { field: "labels", op: "absent" }],
  ['"strange name" is "a\\"b, c"', { field: "strange name", op: "equals", value: 'a"b, c' }],
  ["頻道 is 東京 🏠", { field: "頻道", op: "equals", value: "東京 🏠" }],
];

test("R80 a condition is read as people write it, and reads back as it is shown", () => {
  for (const [written, condition] of cases) {
    assert.deepEqual(parseCondition(written), condition, written);
    assert.deepEqual(parseCondition(renderCondition(condition)), condition, written);
  }
});

test("R80 a text that is not a condition is refused", () => {
  for (const written of ["", "labels", "labels includes", "labels like x", 'labels is "', "= 3", "amount >="])
    assert.throws(() => parseCondition(written), { code: "invalid_request" }, written);
});

test("R80 a condition has a bound, values and a text of bounded length", () => {
  for (const condition of [
    { field: "a", op: "range" },
    { field: "a", op: "in", values: [] },
    { field: "a", op: "equals", value: "x".repeat(1_025) },
    { field: "a", op: "prefix", value: "" },
    { field: "", op: "present" },
    { field: "a", op: "matches", value: "x" },
  ])
    assert.equal(conditionSchema.safeParse(condition).success, false, JSON.stringify(condition));
});
