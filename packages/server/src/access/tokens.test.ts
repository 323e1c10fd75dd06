import assert from "node:assert/strict";
import { test } from "node:test";
import { createToken, digestToken, requireCredential } from "./tokens.ts";

test("reads the token only from the header, with a case-insensitive scheme", () => {
  for (const header of ["Bearer abc", "bearer abc", "BEARER  abc "])
    assert.deepEqual(requireCredential(header), { token: "abc", isProven: false });
  assert.deepEqual(requireCredential("dpop abc"), { token: "abc", isProven: true });
  for (const header of [undefined, "", "Basic abc", "Bearerabc"]) {
    assert.throws(() => requireCredential(header), { code: "missing_token" });
  }
  for (const header of ["Bearer", "Bearer ", "Bearer a b", "Bearer é", `Bearer ${"a".repeat(8_193)}`]) {
    assert.throws(() => requireCredential(header), { code: "invalid_token" });
  }
});

test("R53 tokens are long, unique, and stored as a digest that does not reveal them", () => {
  const token = createToken();
  assert.match(token, /^rungs_[\w-]{43}$/);
  assert.notEqual(createToken(), token);
  assert.match(digestToken(token), /^[0-9a-f]{64}$/);
});
