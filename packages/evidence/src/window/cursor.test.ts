import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createTestSealer, sealer } from "../../../../testing/arbitraries.ts";
import { CodedError } from "../coded-error.ts";
import { openCursor, sealCursor } from "./cursor.ts";

const sealed = { kind: "s", binding: "grant 1, query tea", expires_at_ms: 2000, position: [12, "x"] };
const expected = { kind: "s", binding: "grant 1, query tea", now_ms: 1999 };

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof CodedError, String(error));
    assert.equal(error.details.param, "cursor");
    return error.code;
  }
  return "opened";
}

test("R24 a cursor returns any position to the holder it was issued for", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (position, binding) => {
      const cursor = sealCursor({ ...sealed, position, binding }, sealer);
      assert.match(cursor, /^[A-Za-z0-9_-]+$/, "opaque and URL-safe");
      const opened = openCursor(cursor, { ...expected, binding }, sealer);
      assert.deepEqual(opened, JSON.parse(JSON.stringify(position)));
    }),
  );
});

test("R24 a tampered cursor never opens", () => {
  const cursor = sealCursor(sealed, sealer);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  const forged = (text: string) =>
    assert.equal(
      codeOf(() => openCursor(text, expected, sealer)),
      "invalid_cursor",
      text,
    );
  for (let at = 0; at < cursor.length; at += 1) {
    for (const letter of alphabet) {
      if (letter !== cursor[at]) forged(cursor.slice(0, at) + letter + cursor.slice(at + 1));
    }
    forged(cursor.slice(0, at));
    forged(cursor.slice(at + 1));
  }
  fc.assert(fc.property(fc.string({ minLength: 1 }), (more) => forged(cursor + more)));
  fc.assert(fc.property(fc.string({ minLength: 1 }), (more) => forged(more + cursor)));
  fc.assert(fc.property(fc.string(), (text) => forged(text)));
});

test("R24 a cursor sealed with another secret is forged", () => {
  const cursor = sealCursor(sealed, createTestSealer("another secret"));
  assert.equal(
    codeOf(() => openCursor(cursor, expected, sealer)),
    "invalid_cursor",
  );
});

test("R24 a cursor of another kind, with another binding, or expired is rejected with its own code", () => {
  const cursor = sealCursor(sealed, sealer);
  assert.equal(
    codeOf(() => openCursor(cursor, { ...expected, kind: "q" }, sealer)),
    "invalid_cursor",
  );
  assert.equal(
    codeOf(() => openCursor(cursor, { ...expected, binding: "grant 2" }, sealer)),
    "cursor_foreign",
  );
  assert.equal(
    codeOf(() => openCursor(cursor, { ...expected, now_ms: 2000 }, sealer)),
    "cursor_expired",
  );
  assert.equal(
    codeOf(() => openCursor(cursor, { ...expected, binding: "grant 2", now_ms: 9999 }, sealer)),
    "cursor_foreign",
  );
});

test("R24 a cursor reveals neither its binding nor its position, and is deterministic", () => {
  const cursor = sealCursor({ ...sealed, position: "place" }, sealer);
  assert.equal(sealCursor({ ...sealed, position: "place" }, sealer), cursor);
  assert.doesNotMatch(Buffer.from(cursor, "base64url").toString("latin1"), /grant|tea|place|2000/);
});
