import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../testing/arbitraries.ts";
import {
  charOfUnit,
  countBytes,
  countChars,
  countHiddenChars,
  findLoneSurrogate,
  foldToLine,
  formatJsonLine,
  isCharBorder,
  sliceChars,
  unitOfChar,
} from "./code-points.ts";

test("R22 characters are code points: counts and slices are those of the list of code points", () => {
  fc.assert(
    fc.property(anyText, fc.nat(200), fc.nat(200), (text, start, length) => {
      const chars = [...text];
      assert.equal(countChars(text), chars.length);
      assert.equal(sliceChars(text, start), chars.slice(start).join(""));
      assert.equal(sliceChars(text, start, start + length), chars.slice(start, start + length).join(""));
      assert.equal(countBytes(text), Buffer.byteLength(text));
    }),
  );
});

test("units and characters convert into each other at every border", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let unit = 0;
      for (const [number, char] of [...text].entries()) {
        assert.equal(unitOfChar(text, number), unit);
        assert.equal(charOfUnit(text, unit), number);
        assert.equal(isCharBorder(text, unit), true);
        assert.equal(isCharBorder(text, unit + 1), char.length === 1);
        unit += char.length;
      }
      assert.equal(unitOfChar(text, text.length + 1), text.length);
    }),
  );
});

test("the first lone surrogate is found by its place in characters", () => {
  assert.equal(findLoneSurrogate("😀a"), undefined);
  assert.equal(findLoneSurrogate("😀\ud800"), 1);
  assert.equal(findLoneSurrogate("a\udc00b"), 1);
  assert.equal(findLoneSurrogate("\ud800😀"), 0);
});

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

test("R27 invisible characters are counted, and visible ones are not", () => {
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
