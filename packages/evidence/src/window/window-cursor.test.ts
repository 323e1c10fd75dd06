import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sealer } from "../../../../testing/arbitraries.ts";
import { CodedError } from "../coded-error.ts";
import { sealCursor } from "./cursor.ts";
import { openWindowCursor, requireFreshWindow, sealWindowCursor } from "./window-cursor.ts";
import type { AdjacentRequest } from "./window-request.ts";

const target = {
  grant_key: "g1",
  connection_id: "acct-1",
  stream: "messages",
  record_id: "a",
  field_path: "body",
};
const facts = { digest: "sha256:0123456789abcdef", expires_at_ms: 2000 };
const forward = {
  request: { kind: "forward", start_chars: 4096, limit_chars: 100 },
  is_sized: true,
} as const;

function refusalOf(run: () => unknown): CodedError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof CodedError, String(error));
    return error;
  }
  assert.fail("nothing was refused");
}

test("R24 a window cursor round-trips direction, position and limit", () => {
  const plain = { noNullPrototype: true };
  const limit_chars = fc.integer({ min: 1, max: 16384 });
  const anyRequest: fc.Arbitrary<AdjacentRequest> = fc.oneof(
    fc.record({ kind: fc.constant("forward"), start_chars: fc.nat(), limit_chars }, plain),
    fc.record({ kind: fc.constant("backward"), end_chars: fc.nat(), limit_chars }, plain),
  );
  fc.assert(
    fc.property(anyRequest, (request) => {
      const cursor = sealWindowCursor({ request, is_sized: true }, target, facts, sealer);
      const position = openWindowCursor(cursor, target, 0, sealer);
      assert.deepEqual(position.request, request);
      assert.equal(position.is_sized, true);
      requireFreshWindow(position, target, facts.digest);
    }),
  );
});

test("R22 a cursor keeps a size that the caller chose; without one the next window has the default size", () => {
  const cursor = sealWindowCursor({ ...forward, is_sized: false }, target, facts, sealer);
  const { request, is_sized } = openWindowCursor(cursor, target, 0, sealer);
  assert.deepEqual([request.limit_chars, is_sized], [4096, false]);
});

test("R24 a window cursor is foreign to any other record, field or grant, and the error names only the requested one", () => {
  const cursor = sealWindowCursor(forward, { ...target, record_id: "secret" }, facts, sealer);
  const refusal = refusalOf(() => openWindowCursor(cursor, target, 0, sealer));
  assert.equal(refusal.code, "cursor_foreign");
  assert.equal(refusal.details.id, "acct-1/messages:a");
  assert.equal(refusal.details.field_path, "body");
  assert.doesNotMatch(JSON.stringify(refusal.details) + refusal.message, /secret/);
  for (const name of ["grant_key", "connection_id", "stream", "record_id", "field_path"] as const) {
    const other = sealWindowCursor(forward, { ...target, [name]: "x" }, facts, sealer);
    assert.equal(refusalOf(() => openWindowCursor(other, target, 0, sealer)).code, "cursor_foreign", name);
  }
});

test("R24 malformed, expired and stale window cursors name record and field", () => {
  const cursor = sealWindowCursor(forward, target, facts, sealer);
  const position = openWindowCursor(cursor, target, 1999, sealer);
  const refusals = [
    refusalOf(() => openWindowCursor("x", target, 0, sealer)),
    refusalOf(() => openWindowCursor(cursor, target, 2000, sealer)),
    refusalOf(() => requireFreshWindow(position, target, "sha256:fedcba9876543210")),
  ];
  assert.deepEqual(
    refusals.map((refusal) => refusal.code),
    ["invalid_cursor", "cursor_expired", "cursor_stale"],
  );
  for (const { details } of refusals) {
    assert.deepEqual(
      [details.param, details.id, details.field_path],
      ["cursor", "acct-1/messages:a", "body"],
    );
  }
});

test("R24 a search cursor does not open as a window cursor", () => {
  const cursor = sealCursor({ kind: "s", binding: "x", expires_at_ms: 2000, position: [] }, sealer);
  assert.equal(refusalOf(() => openWindowCursor(cursor, target, 0, sealer)).code, "invalid_cursor");
});
