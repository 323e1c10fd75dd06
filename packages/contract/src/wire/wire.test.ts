import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyChar } from "../../../../testing/any-char.ts";
import type { ApiError } from "../errors/errors.ts";
import { operations } from "../operation-table.ts";
import type { InputOf, Operation } from "../operations/operation.ts";
import { requireInput, type WireRequest, writeCall } from "./wire.ts";

const { search, query_records, read_record_field, read_blob, fetch } = operations;

/** Round-trips a call as a server receives it, with paths and queries through a real URL parser. */
function receive(operation: Operation, call: ReturnType<typeof writeCall>): WireRequest {
  const url = new URL(call.path, "http://host");
  for (const [name, value] of call.query) url.searchParams.append(name, value);
  const sent = new URL(url.href);
  const template = operation.path.split("/");
  const segments = sent.pathname.split("/");
  assert.equal(segments.length, template.length, sent.pathname);
  const names = template.flatMap((part, at) =>
    part.startsWith("{") ? [[part.slice(1, -1), segments[at]!]] : [],
  );
  return {
    path: Object.fromEntries(names.map(([name, segment]) => [name, decodeURIComponent(segment!)])),
    query: sent.searchParams,
    header: (name) => call.headers[name],
  };
}

function travel<O extends Operation>(operation: O, input: InputOf<O>): InputOf<O> {
  return requireInput(operation, receive(operation, writeCall(operation, input)));
}

function ask(operation: Operation, query: string, path: Record<string, string> = {}) {
  return requireInput(operation, { path, query: new URLSearchParams(query) });
}

function assertRefused(
  operation: Operation,
  query: string,
  param: string,
  path: Record<string, string> = {},
): void {
  assert.throws(
    () => ask(operation, query, path),
    (error: { code?: string; details?: { param?: string } }) => {
      assert.deepEqual(
        { code: error.code, param: error.details?.param },
        { code: "invalid_request", param },
        query,
      );
      return true;
    },
  );
}

test("parameters are parsed strictly by their schemas", () => {
  assert.deepEqual(ask(search, "q=a+b&limit=5"), { q: "a b", limit: 5 });
  assert.deepEqual(ask(query_records, "filter=a%3D1&filter=b%3Ex,y&fields=a,b&fields=c", { stream: "s" }), {
    stream: "s",
    filter: ["a=1", "b>x,y"],
    fields: ["a", "b", "c"],
  });
});

test("malformed numbers are refused, never guessed", () => {
  for (const limit of [
    "",
    "0",
    "-1",
    "1.5",
    "1e3",
    "0x10",
    " 5",
    "+5",
    "05",
    "five",
    "null",
    "99999999999999999",
  ]) {
    assertRefused(search, `q=a&limit=${encodeURIComponent(limit)}`, "limit");
  }
});

test("unknown, repeated, missing and empty parameters are refused by name", () => {
  assertRefused(search, "q=a&colour=red", "colour");
  assertRefused(search, "q=a&q=b", "q");
  assertRefused(search, "limit=5", "q");
  assertRefused(search, "q=", "q");
  assertRefused(search, "q=a&constructor=1", "constructor");
  assertRefused(operations.list_records, "filter=a%3D1", "filter", { stream: "s" });
  assertRefused(query_records, "stream=other", "stream", { stream: "s" });
  assertRefused(query_records, "fields=a,,b", "fields", { stream: "s" });
  assertRefused(query_records, "", "stream", { stream: "a/b" });
  assertRefused(read_blob, "range=bytes%3D0-1", "range", { blob_id: "b" });
});

test("an unknown parameter's name is truncated and on one line in the message", () => {
  const query = [[`a\nb${"x".repeat(5_000)}`, "1"]] as const;
  assert.throws(
    () => requireInput(operations.search, { path: {}, query }),
    ({ message, details }: ApiError) =>
      message.length < 200 && /^a bx+…$/.test(details.param ?? "") && !message.includes("\n"),
  );
});

test("a field path may be passed as field, but not as both", () => {
  const path = { stream: "s", id: "r" };
  assert.deepEqual(ask(read_record_field, "field=body", path), { ...path, field_path: "body" });
  assertRefused(read_record_field, "field=body&field_path=body", "field_path", path);
});

test("R03 any key round-trips in a path: separators, spaces, emoji, dots", () => {
  for (const id of [
    "a/b",
    "..",
    ".",
    "a/../b",
    "%2e%2e",
    "a b?c#d&e",
    "🙂",
    '["a","b"]',
    "pdpp://record/abc",
    "x".repeat(512),
  ]) {
    const input = { connection_id: "c", stream: "s", id };
    assert.deepEqual(travel(fetch, input), input);
  }
});

test("a key that only a URI can express needs its connection, and a URI must agree with the other parameters", () => {
  assert.throws(() => writeCall(fetch, { stream: "s", id: ".." }), { code: "invalid_record_id" });

  test("a lone surrogate in a path is refused with its parameter, not sent", () => {
    for (const [input, param] of [
      [{ stream: "\ud800", id: "a" }, "stream"],
      [{ stream: "s", id: "a\udfff" }, "id"],
    ] as const)
      assert.throws(
        () => writeCall(fetch, input),
        ({ code, details }: ApiError) => {
          assert.deepEqual([code, details.param], ["invalid_request", param]);
          return true;
        },
      );
  });
  const { path } = writeCall(fetch, { connection_id: "c", stream: "s", id: ".." });
  const id = decodeURIComponent(path.split("/")[5]!);
  assert.throws(() => ask(fetch, "", { stream: "other", id }), { code: "invalid_record_id" });
  assert.throws(() => ask(fetch, "connection_id=other", { stream: "s", id }), {
    code: "connection_conflict",
  });
  assert.deepEqual(ask(fetch, "", { stream: "s", id }), { connection_id: "c", stream: "s", id: ".." });
});

test("every input round-trips", () => {
  const text = fc.string({ minLength: 1, unit: "grapheme" });
  const name = fc.stringMatching(/^[a-z_]{1,20}$/);
  const connection_id = fc.stringMatching(/^[A-Za-z0-9_~-]{1,20}$/);
  const id = fc.string({ minLength: 1, maxLength: 40, unit: anyChar });
  const count = fc.integer({ min: 1, max: 8192 });
  fc.assert(
    fc.property(
      fc.record(
        {
          stream: name,
          connection_id,
          filter: fc.array(text, { minLength: 1, maxLength: 4 }),
          fields: fc.array(name, { minLength: 1 }),
          limit: count,
          order: fc.constantFrom("asc" as const, "desc" as const),
          cursor: text,
        },
        { requiredKeys: ["stream"], noNullPrototype: true },
      ),
      (input) => assert.deepEqual(travel(query_records, input), input),
    ),
  );
  fc.assert(
    fc.property(
      fc.record(
        {
          stream: name,
          id,
          connection_id,
          field_path: text,
          q: text,
          before_chars: count,
          limit_chars: count,
        },
        { requiredKeys: ["stream", "id", "connection_id", "field_path"], noNullPrototype: true },
      ),
      (input) => assert.deepEqual(travel(read_record_field, input), input),
    ),
  );
  const blob = { blob_id: "b1", range: "bytes=0-9" };
  assert.deepEqual(travel(read_blob, blob), blob);
});
