import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerUnreachable } from "@rungs/client";
import { ApiError, describeRefusal, type ErrorCode, errorRegistry } from "@rungs/contract";
import { describeHere } from "./advice.ts";
import { BrokenOff, UsageError } from "./exit.ts";
import { explainFailure } from "./failure.ts";

const failure = (properties: object) => Object.assign(new Error("in the words of the system"), properties);

test("every failure has its documented exit code", () => {
  for (const [thrown, code] of [
    [new UsageError("x"), 2],
    [failure({ code: "ERR_PARSE_ARGS_UNKNOWN_OPTION" }), 2],
    [new ApiError("invalid_token"), 3],
    [new ApiError("database_unavailable"), 4],
    [new ServerUnreachable("x"), 4],
    [new BrokenOff("x"), 4],
    [new ApiError("database_busy"), 1],
    [new ApiError("not_found"), 1],
    [failure({}), 1],
    ["thrown by somebody", 1],
  ] as const) {
    assert.equal(explainFailure(thrown).code, code, String(thrown));
  }
});

test("a system error becomes a sentence that says what to do", () => {
  for (const [properties, words] of [
    [{ code: "ENOSPC" }, /disk is full: free some space/],
    [{ code: "53100" }, /disk is full/],
    [{ code: "ERR_SQLITE_ERROR", errcode: 13 }, /disk is full/],
    [{ code: "ERR_SQLITE_ERROR", errcode: 11 | (1 << 8) }, /damaged: rungs doctor/],
    [{ code: "EACCES", path: "/x/y" }, /^You have no permission to open \/x\/y/],
    [{ code: "ENOENT", path: "/x/y" }, /^\/x\/y does not exist/],
    [{ code: "ERR_SQLITE_ERROR", errcode: 1 }, /in the words of the system/],
  ] as const) {
    assert.match(explainFailure(failure(properties)).sentence, words);
  }
});

/** Errors of HTTP requests that no command sends. */
const HTTP_ONLY = new Set<string>([
  "unsupported_version",
  "invalid_expand",
  "method_not_allowed",
  "not_acceptable",
  "request_timeout",
  "request_too_large",
  "unsupported_media_type",
  "header_too_large",
  "host_not_allowed",
  "origin_not_allowed",
]);

test("advice on a refusal names commands and flags", () => {
  const codes = Object.keys(errorRegistry) as ErrorCode[];
  for (const code of codes.filter((each) => !HTTP_ONLY.has(each))) {
    const { advice } = describeHere(describeRefusal(new ApiError(code)).body.error);
    const calls =
      /\bcall |query_records|read_record_field|read_blob|_chars|connection_id|header\b|send the request/i;
    assert.doesNotMatch(advice, calls, code);
  }
});

test("a failure is one line without control characters", () => {
  const { sentence } = explainFailure(new Error("first\nsecond \u001b[31mred"));
  assert.equal(sentence, "first second \\u{1b}[31mred");
});
