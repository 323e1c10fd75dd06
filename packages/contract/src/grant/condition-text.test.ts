import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Condition, conditionSchema } from "./condition.ts";
import { parseCondition, renderCondition } from "./condition-text.ts";

const cases: readonly (readonly [written: string, condition: Condition])[] = [
  ['labels includes "tax"', { field: "labels", op: "equals", value: "tax" }],
  ["labels include tax", { field: "labels", op: "equals", value: "tax" }],
  ["labels is tax", { field: "labels", op: "equals", value: "tax" }],
  ['labels in "tax", "house"', { field: "labels", op: "in", values: ["tax", "house"] }],
  ["labels=tax 2025", { field: "labels", op: "equals", value: "tax 2025" }],
  ['to excludes "a@b.example"', { field: "to", op: "not_in", values: ["a@b.example"] }],
  ["labels not in spam, trash", { field: "labels", op: "not_in", values: ["spam", "trash"] }],
  ['folder starts with "Work/"', { field: "folder", op: "prefix", value: "Work/" }],
  ["amount >= 100", { field: "amount", op: "range", gte: 100 }],
  ["date<2026-01-01", { field: "date", op: "range", lt: "2026-01-01" }],
  ["amount >= 1 and < 9.5", { field: "amount", op: "range", gte: 1, lt: 9.5 }],
  [
    'date > "2025-01-01" AND date <= 2026-01-01',
    { field: "date", op: "range", gt: "2025-01-01", lte: "2026-01-01" },
  ],
  ["unread is true", { field: "unread", op: "equals", value: true }],
  ['channel is "100"', { field: "channel", op: "equals", value: "100" }],
  ["labels is present", { field: "labels", op: "present" }],
  ["labels absent", { field: "labels", op: "absent" }],
  ['"strange name" is "a\\"b, c"', { field: "strange name", op: "equals", value: 'a"b, c' }],
  ["頻道 is 東京 🏠", { field: "頻道", op: "equals", value: "東京 🏠" }],
];

test("R80 a condition parses as people write it, and its rendered text parses back", () => {
  for (const [written, condition] of cases) {
    assert.deepEqual(parseCondition(written), condition, written);
    assert.deepEqual(parseCondition(renderCondition(condition)), condition, written);
  }
});

test("R80 any condition survives rendering and parsing", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 12 });
  const field = text.filter((name) => name !== "");
  const scalar = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
  const bound = fc.option(fc.oneof(fc.integer(), fc.constantFrom("2026-01-01", "2026-01-01T00:00:00Z")), {
    nil: undefined,
  });
  const condition = fc
    .oneof(
      fc.record({ field, op: fc.constant("equals"), value: scalar }),
      fc.record({
        field,
        op: fc.constantFrom("in", "not_in"),
        values: fc.array(scalar, { minLength: 2, maxLength: 4 }),
      }),
      fc.record({ field, op: fc.constant("prefix"), value: field }),
      fc.record({ field, op: fc.constant("range"), gt: bound, gte: bound, lt: bound, lte: bound }),
      fc.record({ field, op: fc.constantFrom("present", "absent") }),
    )
    .map((each) => conditionSchema.safeParse(JSON.parse(JSON.stringify(each))).data)
    .filter((each) => each !== undefined);
  fc.assert(
    fc.property(condition, (each) => {
      assert.deepEqual(parseCondition(renderCondition(each)), each, renderCondition(each));
    }),
    { numRuns: 2_000 },
  );
});

test("R80 a text that is not a condition is refused", () => {
  for (const written of [
    "",
    "labels",
    "labels includes",
    "labels like x",
    'labels is "',
    "= 3",
    "amount >=",
    "amount > 1 and",
    "amount > 1 and size < 2",
    "amount > 1 > 2",
    "amount > 1, 2",
  ])
    assert.throws(() => parseCondition(written), { code: "invalid_request" }, written);
});

test("R80 a range needs a bound, a list needs values, and texts have a maximum length", () => {
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
