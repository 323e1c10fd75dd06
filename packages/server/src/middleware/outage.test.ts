import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@rungs/contract";
import { toOutageError } from "./outage.ts";

const failure = (facts: object, message = "a secret") => Object.assign(new Error(message), facts);

test("a database failure becomes a coded error that says how it failed and hides the engine's message", () => {
  const cases: [Error, RegExp][] = [
    [failure({ code: "ECONNREFUSED" }), /cannot be reached/],
    [failure({ code: "57P01" }), /cannot be reached/],
    [failure({ code: "25P03" }), /cannot be reached/],
    [failure({ code: "40P01" }), /ended the request/],
    [failure({ code: "40001" }), /ended the request/],
    [failure({}, "Connection terminated unexpectedly"), /cannot be reached/],
    [failure({}, "timeout expired"), /cannot be reached/],
    [failure({ code: "57P03" }, "The server is a replica."), /cannot be reached/],
    [failure({ code: "ERR_SQLITE_ERROR", errcode: 13 }), /disk of the database is full/],
    [failure({ code: "53100" }), /disk of the database is full/],
    [failure({ code: "ERR_SQLITE_ERROR", errcode: 8 }), /cannot be written/],
    [failure({ code: "ERR_SQLITE_ERROR", errcode: 10 | (3 << 8) }), /disk of the database fails/],
    [failure({ code: "ERR_SQLITE_ERROR", errcode: 11 | (1 << 8) }), /is damaged/],
  ];
  for (const [thrown, words] of cases) {
    const outage = toOutageError(thrown) as ApiError;
    assert.equal(outage.code, "database_unavailable", thrown.message);
    assert.match(outage.message, words);
    assert.doesNotMatch(JSON.stringify(outage.details), /secret/);
  }
});

test("leaves bugs and coded errors unchanged", () => {
  for (const thrown of [new TypeError("x"), failure({ code: "42P01" }), new ApiError("not_found"), "text"])
    assert.equal(toOutageError(thrown), thrown);
  const wrong_sql = failure({ code: "ERR_SQLITE_ERROR", errcode: 1 });
  assert.equal(toOutageError(wrong_sql), wrong_sql);
});
