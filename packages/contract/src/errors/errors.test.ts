import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { CodedError } from "@rungs/evidence";
import { describeRefusal, errorBodySchema } from "./error-body.ts";
import { ApiError, errorRegistry, isErrorCode } from "./errors.ts";

test("every code has a status, a family that fits it, a sentence, and a next step", () => {
  for (const [code, row] of Object.entries(errorRegistry)) {
    assert.match(code, /^[a-z]+(_[a-z]+)*$/);
    assert.ok(row.status >= 400 && row.status < 600, code);
    assert.match(row.message, /^[A-Z].*\.$/, code);
    assert.match(row.next, /^[A-Z].*[.…]$/, code);
  }
  assert.equal(errorRegistry.cursor_expired.type, "gone_error");
  assert.equal(errorRegistry.ambiguous_connection.type, "conflict_error");
  assert.equal(errorRegistry.range_not_satisfiable.type, "invalid_request_error");
});

test("the registry has every code of evidence's errors", () => {
  const folder = new URL("../../../evidence/src/", import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => readFileSync(new URL(name, folder), "utf8"));
  const thrown = sources.flatMap((source) => [
    ...source.matchAll(/new CodedError(?:<[^>]*>)?\(\s*"([a-z_]+)"/g),
  ]);
  const passedOn = sources.flatMap((source) => [...source.matchAll(/\bcode: ((?:"[a-z_]+"(?: \| )?)+)/g)]);
  const codes = [...thrown, ...passedOn].flatMap((match) => match[1]!.replaceAll('"', "").split(" | "));
  assert.ok(codes.includes("cursor_foreign") && codes.includes("invalid_selector"));
  assert.deepEqual(
    codes.filter((code) => !isErrorCode(code)),
    [],
  );
});

test("an error is described by its code, its message, param and facts", () => {
  const refusal = new ApiError("ambiguous_connection", {
    message: "Two connections hold this record.",
    param: "connection_id",
    available_connections: ["a", "b"],
  });
  const { status, body } = describeRefusal(refusal, "req_1");
  assert.equal(status, 409);
  assert.deepEqual(errorBodySchema.parse(body), {
    error: {
      type: "conflict_error",
      code: "ambiguous_connection",
      message: "Two connections hold this record.",
      next: errorRegistry.ambiguous_connection.next,
      param: "connection_id",
      available_connections: ["a", "b"],
      request_id: "req_1",
    },
  });
});

test("an error may have a more exact next step", () => {
  const { body } = describeRefusal(new ApiError("not_found", { next: "Call search with q=x." }));
  assert.equal(body.error.next, "Call search with q=x.");
  assert.equal("request_id" in body.error, false);
});

test("R53 an error outside the registry reveals nothing", () => {
  const secret = "token-123";
  for (const thrown of [
    new Error(secret),
    new CodedError("made_up", { message: secret, secret }),
    secret,
    undefined,
  ]) {
    const { status, body } = describeRefusal(thrown);
    assert.equal(status, 500);
    assert.equal(body.error.code, "internal_error");
    assert.ok(!JSON.stringify(body).includes(secret));
  }
});

test("facts cannot replace the named members, and only plain values are sent", () => {
  const { body } = describeRefusal(
    new ApiError("not_found", {
      code: "other",
      type: "other",
      request_id: "forged",
      cause: new Error("inner"),
      at: 3,
    }),
    "req_2",
  );
  const { code, type, request_id, at, cause } = body.error;
  assert.deepEqual(
    { code, type, request_id, at, cause },
    {
      code: "not_found",
      type: "not_found_error",
      request_id: "req_2",
      at: 3,
      cause: undefined,
    },
  );
});
