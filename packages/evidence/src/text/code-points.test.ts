import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../testing/arbitraries.ts";
import {
  charOfUnit,
  countBytes,
  countChars,
  findLoneSurrogate,
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
