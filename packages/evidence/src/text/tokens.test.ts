import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { anyChar } from "../../../../testing/any-char.ts";
import { listTerms } from "./matcher.ts";
import { findTokenBorder, hasPlainWords, MAX_WORD_CHARS } from "./tokens.ts";

const terms = (text: string) => listTerms(text).map(({ term }) => term);

test("R10 case, accents, width and ligatures do not matter", () => {
  assert.deepEqual(terms("Straße STRASSE"), ["strasse", "strasse"]);
  assert.deepEqual(terms("café CAFÉ cafe\u0301 ＣＡＦＥ"), ["cafe", "cafe", "cafe", "cafe"]);
  assert.deepEqual(terms("ﬁne ΟΔΟΣ οδοσ"), ["fine", "οδοσ", "οδοσ"]);
});

test("R10 scripts without spaces are found by any two characters, and the last alone", () => {
  assert.deepEqual(terms("東京都"), ["東京", "京都", "都"]);
  assert.deepEqual(terms("ｶﾞｲﾄﾞ"), ["ガイ", "イド", "ド"]);
  assert.deepEqual(terms("東京tower"), ["東京", "京", "tower"]);
});

test("an address or an apostrophe yields adjacent words, an emoji is a word", () => {
  assert.deepEqual(terms("foo@bar.com don't x_1"), ["foo", "bar", "com", "don", "t", "x", "1"]);
  assert.deepEqual(terms("👩‍👧 ok👍🏽"), ["👩", "👧", "ok", "👍"]);
});

test("invisible characters inside a word are not part of its spelling", () => {
  assert.deepEqual(terms("co\u00adoperate zero\u200bwidth"), ["cooperate", "zerowidth"]);
});

test("a word of any length is searchable to its last character", () => {
  const word = "abcdefghij".repeat(20);
  const pieces = terms(word);
  assert.equal(pieces.join(""), word);
  assert.ok(pieces.every((piece) => piece.length <= MAX_WORD_CHARS));
});

const awkward = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "a",
        "é",
        " ",
        "東",
        "か",
        "\u3099",
        "\u200b",
        "😀",
        "_",
        "x".repeat(50),
        "\u00ad",
        "𠀀",
        "\u0301",
        "ส",
      ),
      fc.string({ unit: anyChar, maxLength: 4 }).filter((text) => text.isWellFormed()),
    ),
    { maxLength: 200 },
  )
  .map((pieces) => pieces.join(""));

test("cutting text at token borders changes no token that starts after the cut", () => {
  fc.assert(
    fc.property(awkward, fc.integer({ min: 160, max: 400 }), (text, size) => {
      const whole = listTerms(text).map(({ term, start }) => [term, start]);
      const pieced: [string, number][] = [];
      for (let start = 0; start < text.length; ) {
        const limit = Math.min(text.length, start + size);
        const cut = findTokenBorder(text, start, text.isWellFormed() ? borderAt(text, limit) : limit);
        assert.ok(cut > start);
        for (const token of listTerms(text.slice(start, borderAt(text, cut + 64)))) {
          if (start + token.start < cut) pieced.push([token.term, start + token.start]);
        }
        start = cut;
      }
      assert.deepEqual(pieced, whole);
    }),
    { numRuns: 2_000 },
  );
});

test("distinguishes plain words from all others", () => {
  assert.ok(hasPlainWords("The quick, brown fox."));
  assert.ok(!hasPlainWords("The quick, brown f\u00f6x."));
  assert.ok(!hasPlainWords("x".repeat(MAX_WORD_CHARS + 1)));
});

function borderAt(text: string, unit: number): number {
  const code = text.charCodeAt(unit);
  return code >= 0xdc00 && code <= 0xdfff ? unit + 1 : unit;
}
