import assert from "node:assert/strict";
import { test } from "node:test";
import { countHiddenChars } from "./hidden-chars.ts";

test("R27 counts what people do not see, and nothing of visible text", () => {
  const hidden = [
    "a\u202eb",
    "a\u200bb",
    "\ufeffa",
    "a\u00adb",
    "\u{e0041}",
    "a\u200db",
    "\u2066a",
    "\u061c",
  ];
  for (const text of hidden) assert.equal(countHiddenChars(text), 1, JSON.stringify(text));
  for (const text of ["", "plain\ttext\n", "漢字かな", "é e\u0301", "👨‍👩‍👧‍👦", "👩🏽‍💻", "❤️‍🔥", "שלום"])
    assert.equal(countHiddenChars(text), 0, text);
  assert.equal(
    countHiddenChars(
      [..."ignore"].map((each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join(""),
    ),
    6,
  );
});
