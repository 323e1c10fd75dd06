import assert from "node:assert/strict";
import { test } from "node:test";
import { countChars, sliceChars } from "@rungs/evidence";
import fc from "fast-check";
import { cutPassages } from "./passages.ts";

const texts = fc
  .array(fc.string({ unit: "grapheme", maxLength: 400 }), { maxLength: 12 })
  .chain((parts) => fc.constantFrom(". ", "\n", "", "😀").map((separator) => parts.join(separator)));

test("passages join to the text, have its exact ranges, and are bounded", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const passages = cutPassages(text);
      assert.equal(passages.map((passage) => passage.text).join(""), text);
      let at = 0;
      for (const { start_chars, end_chars, text: piece } of passages) {
        assert.equal(start_chars, at);
        assert.equal(sliceChars(text, start_chars, end_chars), piece);
        assert.ok(piece.length > 0 && piece.length <= 1_000);
        assert.ok(piece.isWellFormed() || !text.isWellFormed());
        at = end_chars;
      }
      assert.equal(at, countChars(text));
    }),
  );
});

test("a passage ends after a sentence of its second half", () => {
  const text = `${"word ".repeat(120)}end. ${"more ".repeat(200)}`;
  assert.ok(cutPassages(text)[0]?.text.endsWith("end."));
});
