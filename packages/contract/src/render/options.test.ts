import assert from "node:assert/strict";
import { test } from "node:test";
import { continuationSchema } from "@rungs/evidence";
import fc from "fast-check";
import { anyContinuation } from "../../../../testing/arbitraries.ts";
import { parseToolCall } from "../../../../testing/tool-call.ts";
import { formatToolCall } from "./options.ts";

test("R43 any continuation round-trips through the text of its tool call", () => {
  fc.assert(
    fc.property(anyContinuation, (continuation) => {
      const text = formatToolCall(continuation);
      assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u, "one line, nothing invisible");
      assert.deepEqual(parseToolCall(text), continuation);
    }),
    { numRuns: 500 },
  );
});

test("R13 a tool call has the form name(argument=value)", () => {
  const args = { id: 'acct-1/messages:["a","b"]', field_path: "body", offset_chars: 4096 };
  assert.equal(
    formatToolCall({ operation: "read_record_field", args }),
    'read_record_field(id="acct-1/messages:[\\"a\\",\\"b\\"]", field_path="body", offset_chars=4096)',
  );
  assert.equal(formatToolCall({ operation: "schema", args: {} }), "schema()");
});

test("text that is not a call of a read operation does not parse", () => {
  const bad = [
    "",
    "fetch",
    "fetch(",
    "fetch(id=)",
    'fetch(id="a)',
    'fetch(id="a",)',
    'fetch(id="a", )',
    'fetch(id="a") x',
    "fetch(id=1e)",
    "fetch(id=nope)",
    'drop(id="a")',
    'fetch(Id="a")',
    "fetch(a=[1])",
  ];
  for (const text of bad) assert.equal(parseToolCall(text), undefined, text);
});

test("a continuation has the name of an operation and plain arguments", () => {
  assert.ok(continuationSchema.safeParse({ operation: "fetch", args: { id: "a", fields: ["b"] } }).success);
  assert.ok(!continuationSchema.safeParse({ operation: "delete()", args: {} }).success);
  assert.ok(!continuationSchema.safeParse({ operation: "fetch", args: { id: null } }).success);
  assert.ok(!continuationSchema.safeParse({ operation: "fetch", args: { id: Number.NaN } }).success);
});
