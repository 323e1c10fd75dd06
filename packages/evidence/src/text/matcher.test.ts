import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { findAlternative, findMatches, listTerms } from "./matcher.ts";
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
    Array.from({ length: 65 }, (_, n) => `w${n}`).join(" "),
    Array.from({ length: 17 }, (_, n) => `w${n}*`).join(" "),
    "-word",
  ]) {
    assert.throws(() => requireQuery(query), { code: "invalid_query" });
  }
  assert.throws(() => requireQuery("half \ud800"), { code: "invalid_query" });
});

test("equal words of a query count once, and an open quote ends with the query", () => {
  assert.equal(requireQuery("fox Fox FOX").clauses.length, 1);
  assert.deepEqual(requireQuery('"quick brown').clauses[0]?.any, [
    { terms: ["quick", "brown"], prefix: false, inflected: false },
  ]);
});

test("R60 +word and phrases are required, -word excludes, OR takes either, AND and NOT are honoured", () => {
  const needs = (q: string) => requireQuery(q).clauses.map(({ need, text }) => `${need} ${text}`);
  assert.deepEqual(needs('tea +cup -milk "two sugars" -"cold tea"'), [
    "wanted tea",
    "required cup",
    "excluded milk",
    'required "two sugars"',
    'excluded "cold tea"',
  ]);
  assert.deepEqual(needs("budget meeting OR meetings"), ["wanted budget", "required meeting OR meetings"]);
  assert.deepEqual(needs("tea AND milk NOT sugar"), ["required tea", "required milk", "excluded sugar"]);
  assert.deepEqual(needs("this or that and - not + operators"), [
    ...["this", "or", "that", "and", "not", "operators"].map((word) => `wanted ${word}`),
  ]);
  assert.deepEqual(needs("What is Caroline's (new) job?"), [
    ...["What", "is", "Caroline's", "new", "job"].map((word) => `wanted ${word}`),
  ]);
});

test("R60 operators of other query languages are refused with what to write instead", () => {
  for (const q of [
    "from:anna",
    "subject:tax",
    "tea NEAR/3 milk",
    "tea~2",
    "tea^4",
    "t*a",
    "*ea",
    "a && b",
    "!tea",
  ])
    assert.throws(() => requireQuery(q), { code: "invalid_query", message: /quotes/ }, q);
  for (const q of ["OR tea", "tea OR", "tea OR OR milk", "NOT", "AND AND"])
    assert.throws(() => requireQuery(q), { code: "invalid_query", message: /needs a word/ }, q);
  assert.throws(() => requireQuery("(tea OR milk) sugar"), { code: "invalid_query", message: /parentheses/ });
  for (const q of ["Re: budget", "at 10:30", "https://example.test/a?b=c", "a (b) c?", "- tea", "50% + 3"])
    assert.ok(requireQuery(q).clauses.length > 0, q);
});

const words = fc.array(
  fc.constantFrom("fox", "Fox", "foxes", "fo", "a-fox", "fox_1", ".", "the", "x".repeat(70), "fox,"),
  { maxLength: 30 },
);

test("the fast path for plain text finds the same as the tokens", () => {
  fc.assert(
    fc.property(words, fc.constantFrom("fox", "fo*", "the fox", "xxxxxx", "a fo* the"), (pieces, q) => {
      const text = pieces.join(" ");
      const query = requireQuery(q);
      const tokens = listTerms(text);
      const expected = query.clauses.flatMap((clause, number) =>
        tokens.flatMap((token, at) =>
          findAlternative(tokens, at, clause) ? [`${number}:${token.start}`] : [],
        ),
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
