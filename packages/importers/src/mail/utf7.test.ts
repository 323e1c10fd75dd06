import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeUtf7 } from "./utf7.ts";

test("UTF-7 is decoded by RFC 2152", () => {
  assert.equal(decodeUtf7("A+ImIDkQ."), "A\u2262\u0391.");
  assert.equal(decodeUtf7("Hi Mom -+Jjo--!"), "Hi Mom -\u263a-!");
  assert.equal(decodeUtf7("+ZeVnLIqe-"), "\u65e5\u672c\u8a9e");
  assert.equal(decodeUtf7("Fr+APY-sche, 1 +- 1"), "Fr\u00f6sche, 1 + 1");
});

test("text that only looks like UTF-7 stays the same", () => {
  for (const text of ["+1-800-555", "a+b", "+", "C++"]) assert.equal(decodeUtf7(text), text);
});
