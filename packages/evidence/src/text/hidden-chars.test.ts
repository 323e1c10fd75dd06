import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../testing/arbitraries.ts";
import { countHiddenChars, foldToLine, formatJsonLine } from "./hidden-chars.ts";

test("R27 any text folds to one line without controls, line breaks or direction marks", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.doesNotMatch(
        foldToLine(text),
        /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]/u,
      );
    }),
  );
});

test("R27 ordinary text, emoji and joined scripts stay as they are", () => {
  for (const text of ["It's 5 €", "👨‍👩‍👧‍👦", "می\u200cخواهم", "e\u0301", "漢字"])
    assert.equal(foldToLine(text), text);
  assert.equal(foldToLine("a\r\n\tb\u0007\u202ec"), "a b\\u{7}\\u{202e}c");
});

test("a JSON line is one line, shows everything, and parses to the same value", () => {
  fc.assert(
    fc.property(fc.oneof(anyText, fc.array(anyText)), (value) => {
      const line = formatJsonLine(value);
      assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      assert.deepEqual(JSON.parse(line), value);
    }),
  );
});

test("R27 counts what people do not see, and nothing of visible text", () => {
  const hidden = [
    "a\u202eb",
    "a\u200bb",
    "\ufeffa",
    "a\u00adb",
    "\u{e0041}",
    "a\u200db",
    "\u2066a",
    "\u061c",
  ];
  for (const text of hidden) assert.equal(countHiddenChars(text), 1, JSON.stringify(text));
  for (const text of ["", "plain\ttext\n", "漢字かな", "é e\u0301", "👨‍👩‍👧‍👦", "👩🏽‍💻", "❤️‍🔥", "שלום"])
    assert.equal(countHiddenChars(text), 0, text);
  assert.equal(
    countHiddenChars(
      [..."ignore"].map((each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join(""),
    ),
    6,
  );
});
