import assert from "node:assert/strict";
import { test } from "node:test";
import { nameType } from "./file.ts";

test("a type is shown by its common name, if there is one", () => {
  assert.equal(nameType("application/pdf"), "PDF");
  assert.equal(nameType("image/jpeg"), "JPEG picture");
  assert.equal(nameType("text/plain"), "Text");
  for (const type of ["application/x-foo", "image/svg+xml", "text/watch-html", "chemical", ""])
    assert.equal(nameType(type), type);
});
