import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { CodedError } from "../coded-error.ts";
import { requireWindowSelector, windowSelectorShape } from "./selector.ts";

test("R21 the default window is the start of the field", () => {
  assert.deepEqual(requireWindowSelector({}), { kind: "offset", offset_chars: 0, limit_chars: undefined });
});

test("R21 a selector keeps the sizes that the caller gave, and only those", () => {
  assert.deepEqual(requireWindowSelector({ offset_chars: 7, limit_chars: 4096 }), {
    kind: "offset",
    offset_chars: 7,
    limit_chars: 4096,
  });
  assert.deepEqual(requireWindowSelector({ q: "tea", after_chars: 0 }), {
    kind: "match",
    q: "tea",
    before_chars: undefined,
    after_chars: 0,
    limit_chars: undefined,
  });
  assert.deepEqual(requireWindowSelector({ cursor: "c", limit_chars: 9 }), {
    kind: "cursor",
    cursor: "c",
    limit_chars: 9,
  });
});

test("R21 selectors that exclude each other are rejected, and the message names them", () => {
  const cases = [
    [{ cursor: "c", offset_chars: 0 }, "offset_chars", "cursor"],
    [{ cursor: "c", q: "tea" }, "q", "cursor"],
    [{ cursor: "c", before_chars: 1 }, "before_chars", "cursor"],
    [{ cursor: "c", after_chars: 1 }, "after_chars", "cursor"],
    [{ q: "tea", offset_chars: 0 }, "offset_chars", "q"],
    [{ before_chars: 1 }, "before_chars", "q"],
    [{ offset_chars: 0, after_chars: 0 }, "after_chars", "q"],
  ] as const;
  for (const [input, param, other] of cases) {
    assert.throws(
      () => requireWindowSelector(input),
      (error) =>
        error instanceof CodedError &&
        error.code === "invalid_selector" &&
        error.details.param === param &&
        error.message.startsWith(param) &&
        error.message.includes(other),
      JSON.stringify(input),
    );
  }
});

test("R20 R21 the fields have the bounds of the fixed schema", () => {
  const schema = z.strictObject(windowSelectorShape);
  for (const good of [
    { offset_chars: 0 },
    { limit_chars: 1 },
    { limit_chars: 16384 },
    { before_chars: 8192 },
    { q: "" },
  ]) {
    assert.ok(schema.safeParse(good).success, JSON.stringify(good));
  }
  const bad = [
    { offset_chars: -1 },
    { offset_chars: 1.5 },
    { offset_chars: "1" },
    { limit_chars: 0 },
    { limit_chars: 16385 },
    { before_chars: 8193 },
    { after_chars: -1 },
    { cursor: null },
    { q: 1 },
    { more: 1 },
  ];
  for (const input of bad) assert.ok(!schema.safeParse(input).success, JSON.stringify(input));
});
