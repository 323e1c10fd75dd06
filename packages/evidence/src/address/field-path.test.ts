import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../testing/arbitraries.ts";
import { CodedError } from "../coded-error.ts";
import { formatFieldPath, MAX_PATH_CHARS, parseFieldPath, requireFieldPath, valueAt } from "./field-path.ts";

const names = fc.oneof(
  anyText.filter((name) => name.length < 60),
  fc.constantFrom("body", "a.b", "", "0", "[0]"),
);

test("R26 any path of names and indexes round-trips", () => {
  fc.assert(
    fc.property(names, fc.array(fc.oneof(names, fc.nat(999_999_999)), { maxLength: 5 }), (first, rest) => {
      const path = [first, ...rest];
      const text = formatFieldPath(path);
      fc.pre(text.length <= MAX_PATH_CHARS);
      assert.deepEqual(parseFieldPath(text), path);
    }),
  );
});

test("R26 plain paths look plain", () => {
  assert.equal(formatFieldPath(["payload", "parts", 2, "text"]), "payload.parts[2].text");
  assert.equal(formatFieldPath(["a.b", "c"]), '["a.b"].c');
});

test("R26 every control character in a name is escaped and round-trips", () => {
  for (let code = 0; code < 0xa0; code += 1) {
    const path = ["a", `b${String.fromCharCode(code)}`];
    const text = formatFieldPath(path);
    assert.doesNotMatch(text, /\p{Cc}/u);
    assert.deepEqual(parseFieldPath(text), path);
  }
});

test("R26 a malformed path is rejected", () => {
  for (const bad of [
    "",
    ".",
    "a.",
    ".a",
    "[0]",
    "a[01]",
    "a[-1]",
    "a[",
    "a]",
    'a["',
    "a b",
    "a[0]b",
    'a["\\x"]',
    "a..b",
    "x".repeat(1025),
  ]) {
    assert.equal(parseFieldPath(bad), undefined, bad);
    assert.throws(
      () => requireFieldPath(bad),
      (error) => error instanceof CodedError && error.code === "invalid_field_path",
    );
  }
});

test("R26 a path finds own values only", () => {
  const data = { parts: [{ text: "x" }], "a.b": null };
  assert.equal(valueAt(data, ["parts", 0, "text"]), "x");
  assert.equal(valueAt(data, ["a.b"]), null);
  for (const path of [["parts", "length"], ["parts", "0"], ["constructor"], ["a.b", "c"], ["parts", 1]]) {
    assert.equal(valueAt(data, path), undefined);
  }
});
