import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createSealer } from "./sealer.ts";

const sealer = createSealer("a secret");

test("R24 sealed text opens again, and is URL-safe", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const sealed = sealer.seal(text);
      assert.match(sealed, /^[A-Za-z0-9_-]+$/);
      assert.equal(sealer.open(sealed), text);
    }),
  );
});

test("R24 sealing is deterministic, and differs for another text or secret", () => {
  const other = createSealer("another secret");
  assert.equal(sealer.seal("x"), sealer.seal("x"));
  assert.notEqual(sealer.seal("x"), sealer.seal("y"));
  assert.notEqual(sealer.seal("x"), other.seal("x"));
  assert.equal(other.open(sealer.seal("x")), undefined);
  assert.notEqual(sealer.tag("x"), other.tag("x"));
  assert.equal(sealer.tag("x").length, 12);
});

test("R24 text changed by a single character does not open", () => {
  const sealed = sealer.seal("position 12");
  for (let at = 0; at < sealed.length; at += 1) {
    for (const letter of "Aa0-_=. ") {
      if (letter === sealed[at]) continue;
      assert.equal(sealer.open(sealed.slice(0, at) + letter + sealed.slice(at + 1)), undefined);
    }
    assert.equal(sealer.open(sealed.slice(0, at)), undefined);
  }
  fc.assert(fc.property(fc.string(), (text) => sealer.open(text) === undefined));
});
