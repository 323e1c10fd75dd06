import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { findMatches, listTerms, matchesAt } from "./matcher.ts";
import { requireQuery } from "./query.ts";

const found = (text: string, query: string) =>
  findMatches(text, requireQuery(query)).map(({ start, end }) => text.slice(start, end));

test("R10 words, phrases, prefixes, folded and CJK queries match where they stand", () => {
  assert.deepEqual(found("Café au lait, CAFE noir", "cafe"), ["Café", "CAFE"]);
  assert.deepEqual(found("the quick brown fox", '"quick brown"'), ["quick brown"]);
  assert.deepEqual(found("brown quick", '"quick brown"'), []);
  assert.deepEqual(found("world words sword", "wor*"), ["world", "words"]);
  assert.deepEqual(found("mail foo@bar.com now", "foo@bar.com"), ["foo@bar.com"]);
  assert.deepEqual(found("私は東京都に住む", "東京"), ["東京"]);
  assert.deepEqual(found("私は東京都に住む", "京"), ["京"]);
  assert.deepEqual(found("don't stop", "don't"), ["don't"]);
});

test("a query without a word, or with too much, is refused and says why", () => {
  for (const query of [
    "",
    "  ",
    "…!?",
    "a".repeat(1001),
    Array.from({ length: 17 }, (_, n) => `w${n}`).join(" "),
  ]) {
    assert.throws(() => requireQuery(query), { code: "invalid_query" });
  }
  assert.throws(() => requireQuery("half \ud800"), { code: "invalid_query" });
});

test("equal words of a query count once, and an open quote ends with the query", () => {
  assert.equal(requireQuery("fox Fox FOX").clauses.length, 1);
  assert.deepEqual(requireQuery('"quick brown').clauses, [{ terms: ["quick", "brown"], prefix: false }]);
});

const words = fc.array(
  fc.constantFrom("fox", "Fox", "foxes", "fo", "a-fox", "fox_1", ".", "the", "x".repeat(70), "fox,"),
  { maxLength: 30 },
);

test("the short way through plain text finds what the tokens say", () => {
  fc.assert(
    fc.property(words, fc.constantFrom("fox", "fo*", "the fox", "xxxxxx", "a fo* the"), (pieces, q) => {
      const text = pieces.join(" ");
      const query = requireQuery(q);
      const tokens = listTerms(text);
      const expected = query.clauses.flatMap((clause, number) =>
        tokens.flatMap((token, at) => (matchesAt(tokens, at, clause) ? [`${number}:${token.start}`] : [])),
      );
      assert.deepEqual(
        findMatches(text, query)
          .map(({ clause, start }) => `${clause}:${start}`)
          .sort(),
        expected.sort(),
      );
    }),
  );
});
