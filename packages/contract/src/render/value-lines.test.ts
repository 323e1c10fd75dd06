import assert from "node:assert/strict";
import { test } from "node:test";
import { listValueLines } from "./value-lines.ts";

const lines = (value: unknown) =>
  listValueLines(JSON.stringify(value))?.lines.map(({ name, text, depth }) => [depth, name ?? "", text]);

test("a list has a line for each item, short objects on one line", () => {
  assert.deepEqual(lines(["ana@example.org", "漢字"]), [
    [0, "", "ana@example.org"],
    [0, "", "漢字"],
  ]);
  assert.deepEqual(
    lines([
      { address: "a@example.org", label: "home" },
      { address: "b@example.org", label: null },
    ]),
    [
      [0, "", "a@example.org · home"],
      [0, "", "b@example.org"],
    ],
  );
});

test("members have their names, and deep values are indented and end", () => {
  assert.deepEqual(lines({ city: "Kyoto", parts: { a: { b: { c: { d: { e: { f: 1 } } } } } }, none: [] }), [
    [0, "city", "Kyoto"],
    [0, "parts", ""],
    [1, "a", ""],
    [2, "b", ""],
    [3, "c", ""],
    [4, "d", '{"e":{"f":1}}'],
  ]);
});

test("lines beyond the limit are counted", () => {
  const found = listValueLines(JSON.stringify(Array.from({ length: 100 }, (_, at) => at)));
  assert.deepEqual([found?.lines.length, found?.left_out], [60, 40]);
});

test("a scalar and a text that is not JSON have no lines", () => {
  for (const text of ['"a"', "1", "null", '["cut off', ""])
    assert.equal(listValueLines(text), undefined, text);
});
