import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unescapeFrom } from "./mail.ts";

const unescaped = (text: string): string => unescapeFrom(Buffer.from(text)).toString();

test("one > is removed from escaped lines, and from no others", () => {
  assert.equal(
    unescaped("a\n>From b\n>>From c\n> From d\nx >From e\n>Fromage\n"),
    "a\nFrom b\n>From c\n> From d\nx >From e\n>Fromage\n",
  );
  assert.equal(unescaped(">From start\n"), "From start\n");
});

test("lines that mboxrd escaped are restored", () => {
  const line = fc.constantFrom("From a", ">From b", ">>From c", "", "text", ">quote", "a >From d");
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const escaped = lines.map((each) => (/^>*From /.test(each) ? `>${each}` : each));
      assert.equal(unescaped(escaped.join("\n")), lines.join("\n"));
    }),
  );
});
