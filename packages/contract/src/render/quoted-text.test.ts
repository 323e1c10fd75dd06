import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { splitQuotes } from "./quoted-text.ts";

const parts = (text: string) => splitQuotes(text).map(({ text, is_quoted }) => [is_quoted, text]);

test("quoted lines and the line above that introduces them are one part", () => {
  assert.deepEqual(parts("Yes.\n\nOn Monday Ana wrote:\n> Is it?\n>> Was it?\nBye"), [
    [false, "Yes.\n\n"],
    [true, "On Monday Ana wrote:\n> Is it?\n>> Was it?\n"],
    [false, "Bye"],
  ]);
});

test("quotations with nothing but empty lines between them are one", () => {
  assert.deepEqual(parts("> a\n\nB wrote:\n> b\n\nc"), [
    [true, "> a\n\nB wrote:\n> b\n"],
    [false, "\nc"],
  ]);
});

test("everything below the line above a whole quoted message is quoted", () => {
  assert.deepEqual(parts("Fine.\n-----Original Message-----\nFrom: Ana\n\nHello"), [
    [false, "Fine.\n"],
    [true, "-----Original Message-----\nFrom: Ana\n\nHello"],
  ]);
});

test("text without quotations is one part, and a colon alone quotes nothing", () => {
  assert.deepEqual(parts("Bring:\nbread\na > b"), [[false, "Bring:\nbread\na > b"]]);
});

test("the parts joined are the text, and neighbours differ", () => {
  const line = fc.oneof(
    fc.constantFrom("> q", ">", "", "On x wrote:", "漢字 😀", "--Forwarded message--"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom("\n", "\r\n"), (lines, end) => {
      const text = lines.join(end);
      const split = splitQuotes(text);
      assert.equal(split.map((part) => part.text).join(""), text);
      for (const [at, part] of split.entries()) assert.notEqual(part.is_quoted, split[at + 1]?.is_quoted);
    }),
  );
});
