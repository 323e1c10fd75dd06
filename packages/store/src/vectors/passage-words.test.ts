import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SegmentBuilder } from "../index/builder.ts";
import type { WordEmbedder } from "./embedder.ts";
import { PassageWords } from "./passage-words.ts";
import { cutPassages } from "./passages.ts";
import { staticEmbedder } from "./word-vectors.ts";

const words = staticEmbedder.words as WordEmbedder;

/** Untidy texts: words of the list and others, in several scripts, with and without ends of sentences. */
const texts = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom("kiln", "The", "glazes", "Encyclopaedia", "x9", "qzxv", "a") },
      {
        weight: 1,
        arbitrary: fc.constantFrom("東京都に住む", "カ\u3099ラス", "cafe\u0301", "ﬁre", "😀", "\u00ad"),
      },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 9 }) },
    ),
    { maxLength: 900 },
  )
  .chain((parts) =>
    fc.constantFrom(" ", ". ", "", "\n", "。", " word! ").map((separator) => parts.join(separator)),
  );

function embedWhileIndexed(text: string, cut: number): { range: number[]; vector: number[] }[] {
  const embedded: { range: number[]; vector: number[] }[] = [];
  const passages = new PassageWords(words);
  passages.begin(text, (start, end, vector) => embedded.push({ range: [start, end], vector: [...vector] }));
  const builder = new SegmentBuilder();
  const next = builder.addText(1, 0, text, 0, { endUnit: cut, words: passages });
  builder.addText(1, 0, text.slice(cut), next, { startUnit: cut, words: passages });
  passages.end();
  return embedded;
}

test("R64 vectors that follow the index equal those of the passages alone", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const space = text.indexOf(" ", text.length >> 1);
      const alone = cutPassages(text).map(({ start_chars, end_chars, text: piece }) => ({
        range: [start_chars, end_chars],
        vector: [...words.embedText(piece)],
      }));
      assert.deepEqual(embedWhileIndexed(text, space < 0 ? text.length : space), alone);
    }),
    { numRuns: 60 },
  );
});

test("R64 a passage that cuts a word counts its halves, as the passage shows them", () => {
  const text = `${"kiln".repeat(180)} ${"xy".repeat(135)} glaze oven`;
  const vectors = embedWhileIndexed(text.replaceAll(".", " "), text.length);
  assert.deepEqual(
    vectors.map(({ vector }) => vector),
    cutPassages(text).map((passage) => [...words.embedText(passage.text)]),
  );
});

test("a listed word is found in either case and whole, whatever its length; others are not", () => {
  const row = (word: string) => words.find(`.${word}.`, 1, 1 + word.length);
  assert.equal(row("the"), 0);
  assert.equal(row("THE"), 0);
  for (const word of ["kitchen", "environmental", "responsibilities"]) assert.ok(row(word) > 0, word);
  for (const word of ["", "qzxv", "kitchenx", "étude", "0the", "responsibilitiesx", "the the", "1990s"])
    assert.equal(row(word), -1, word);
});
