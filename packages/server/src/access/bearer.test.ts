import assert from "node:assert/strict";
import { test } from "node:test";
import { createToken, digestToken, requireBearer } from "./bearer.ts";

test("the token is read from the header alone, whatever the case of its scheme", () => {
  for (const header of ["Bearer abc", "bearer abc", "BEARER  abc "])
    assert.equal(requireBearer(header), "abc");
  for (const header of [undefined, "", "Basic abc", "Bearerabc"]) {
    assert.throws(() => requireBearer(header), { code: "missing_token" });
  }
  for (const header of ["Bearer", "Bearer ", "Bearer a b", "Bearer é", `Bearer ${"a".repeat(513)}`]) {
    assert.throws(() => requireBearer(header), { code: "invalid_token" });
  }
});

test("R53 tokens are long, never equal, and known by a digest that does not show them", () => {
  const token = createToken();
  assert.match(token, /^rungs_[\w-]{43}$/);
  assert.notEqual(createToken(), token);
  assert.match(digestToken(token), /^[0-9a-f]{64}$/);
});
