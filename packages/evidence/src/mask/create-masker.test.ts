import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { createMasker } from "./create-masker.ts";
import { maskRulesSchema } from "./mask-rules.ts";
import { maskValue } from "./mask-value.ts";
import { countSteps } from "./own-values.ts";

const echo = (_: string, value: string) => value;

test("R82 masks the owner's words: whole, in any case, composition and spacing", () => {
  const mask = createMasker({ words: ["Müller", "Project Falcon", "田中", "C++", "🦅"] }, () => "x");
  assert.equal(mask("MÜLLER, Mu\u0308ller, Müllerin"), "[word-x], [word-x], Müllerin");
  assert.equal(mask("project  falcon\nproject\nfalcon falcons"), "[word-x]\n[word-x] falcons");
  assert.equal(mask("昨日田中さん"), "昨日[word-x]さん");
  assert.equal(mask("I write C++; 🦅🦅"), "I write [word-x]; [word-x][word-x]");
});

test("R82 masks the owner's expressions, found in linear time", () => {
  const mask = createMasker({ expressions: ["CASE-\\d+", "(?i)dr\\. \\w+"] }, echo);
  assert.equal(mask("CASE-12 by DR. Who"), "[word-CASE-12] by [word-DR. Who]");
  const named = createMasker({ expressions: ["M[üu]ller-\\d", "Żółw"] }, echo);
  assert.equal(
    named("Mu\u0308ller-1 Müller-1 Z\u0307o\u0301łw"),
    "[word-Müller-1] [word-Müller-1] [word-Żółw]",
  );
});

test("R82 overlapping values are masked as one, so that no part remains", () => {
  const mask = createMasker({ kinds: ["email"], words: ["jo", "example.org and"] }, () => "x");
  assert.equal(mask("jo@example.org and"), "[word-x]");
});

test("R82 refuses expressions that are not RE2, or that match nothing", () => {
  const parse = (expression: string) => maskRulesSchema.safeParse({ expressions: [expression] });
  assert.match(parse("(?=a)").error?.issues[0]?.message ?? "", /RE2/);
  assert.match(parse("a*").error?.issues[0]?.message ?? "", /empty/);
  assert.ok(parse("a+").success);
  assert.equal(maskRulesSchema.safeParse({ words: [" \u200b"] }).success, false);
});

test("R82 masks strings, member names and numbers at any depth", () => {
  const mask = createMasker({ kinds: ["email", "card"] }, () => "x");
  assert.deepEqual(
    maskValue(
      { a: ["jo@example.org", { "jo@example.org": 4111111111111111, n: 12, b: true, z: null }] },
      mask,
    ),
    { a: ["[email-x]", { "[email-x]": "[card-x]", n: 12, b: true, z: null }] },
  );
});

test("R82 masking changes only the values: the rest of any text stays, in order", () => {
  const value = fc.constantFrom("jo@example.org", "+49 171 2345678", "DE89370400440532013000");
  const filler = fc.stringMatching(/^[ \n.;!?田é🦅]{0,20}$/u);
  const mask = createMasker({ kinds: ["email", "phone", "iban"] }, () => "x");
  fc.assert(
    fc.property(fc.array(fc.tuple(filler, value)), filler, (pairs, last) => {
      const text = pairs.map(([before, each]) => `${before} ${each} `).join("") + last;
      const left = pairs.map(([before]) => `${before}  `).join("") + last;
      assert.equal(mask(text).replace(/\[(?:email|phone|iban)-x\]/g, ""), left);
    }),
  );
});

test("R82 refuses expressions that take long to compile or to compare, without compiling them", () => {
  const parse = (expression: string) => maskRulesSchema.safeParse({ expressions: [expression] });
  const long = [
    `(?:${"a{1,1000}|".repeat(90)}b)z`,
    `(?i)(?:${"\\pL".repeat(320)}){1000}z`,
    "a[ab]{1000}c",
    "(?:a{30}){30}",
  ];
  for (const each of long) assert.match(parse(each).error?.issues[0]?.message ?? "", /longer than 500/, each);
  for (const each of [
    "[A-Z]{2}\\d{2}(?: ?[A-Z0-9]{4}){2,7}",
    ".{0,200}oncolog\\w+",
    "\\p{Greek}+",
    "[[:alpha:]{9}]x",
  ])
    assert.equal(parse(each).success, true, each);
});

test("R82 the estimated cost of an expression bounds its actual cost", () => {
  const atom = fc.constantFrom(
    "a",
    "\\d",
    "[^a-c{]",
    "[]x]",
    "\\pL",
    "\\p{Greek}",
    "\\x{61}",
    "\\Qa{9}\\E",
    "\\(",
    "\\{",
    ".",
  );
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 4 },
      atom,
      fc.tuple(tie("expression"), tie("expression")).map((parts) => parts.join("")),
      fc.tuple(tie("expression"), tie("expression")).map((parts) => `(?:${parts.join("|")})`),
      fc
        .tuple(
          fc.constantFrom("(", "(?:", "(?i:", "(?P<n>"),
          tie("expression"),
          fc.constantFrom("*", "+?", "?", "{3}", "{2,}", "{1,7}", "{0,5}?"),
        )
        .map(([open, inner, times]) => `${open}${inner})${times}`),
    ),
  }));
  fc.assert(
    fc.property(expression, (source) => {
      let size: number;
      try {
        size = RE2JS.compile(source).programSize();
      } catch {
        return;
      }
      assert.ok(size <= 4 * countSteps(source) + 4, `${source}: ${size} for ${countSteps(source)}`);
    }),
  );
});
