import assert from "node:assert/strict";
import { test } from "node:test";
import { nameType } from "./file.ts";

test("a type is what people call it, where there is such a name", () => {
  assert.equal(nameType("application/pdf"), "PDF");
  assert.equal(nameType("image/jpeg"), "JPEG picture");
  assert.equal(nameType("text/plain"), "Text");
  for (const type of ["application/x-foo", "image/svg+xml", "text/watch-html", "chemical", ""])
    assert.equal(nameType(type), type);
});
