import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFieldPath } from "@rungs/evidence";
import { createSchemaCheck } from "./check.ts";
import { jsonSchemaSchema } from "./schema.ts";

/** Where `value` breaks `schema`; undefined when it does not. */
function findPlace(schema: unknown, value: unknown): string | undefined {
  const problem = createSchemaCheck(jsonSchemaSchema.parse(schema))(value);
  return problem && formatFieldPath(problem.path);
}

test("a value is checked against types, limits, lists and patterns", () => {
  assert.equal(findPlace({ type: "string" }, "a"), undefined);
  assert.equal(findPlace({ type: "string" }, 4), "");
  assert.equal(findPlace({ type: ["string", "null"] }, null), undefined);
  assert.equal(findPlace({ type: "integer" }, 1.5), "");
  assert.equal(findPlace({ type: "integer", minimum: 3 }, 2), "");
  assert.equal(findPlace({ type: "string", pattern: "^a" }, "b"), "");
  assert.equal(findPlace({ enum: ["a", null] }, "b"), "");
  assert.equal(findPlace({ type: "array", uniqueItems: true }, [{ a: 1 }, { a: 1 }]), "[1]");
  assert.equal(findPlace({ type: "object", properties: { a: { type: "string" } } }, { a: 1 }), "a");
});

test("a required name is required even where no property declares it", () => {
  assert.equal(findPlace({ type: "object", required: ["a"] }, {}), "a");
  assert.equal(findPlace({ type: "object", required: ["a"] }, { a: null }), undefined);
  assert.equal(findPlace({ type: "object", required: ["a"], properties: { a: true } }, {}), "a");
});

test("items are counted whether or not the schema describes them", () => {
  assert.equal(findPlace({ type: "array", minItems: 1 }, []), "");
  assert.equal(findPlace({ type: "array", maxItems: 1 }, [1, 2]), "");
  assert.equal(findPlace({ type: ["array", "null"], maxItems: 1 }, null), undefined);
});

test("a required name that no property declares is an additional property", () => {
  const closed = { type: "object", required: ["a"], additionalProperties: { type: "string" } };
  assert.equal(findPlace(closed, { a: 1 }), "a");
  assert.equal(findPlace(closed, { a: "x" }), undefined);
});

test("a tuple counts its items, whatever their type", () => {
  const pair = { type: "array", prefixItems: [true, {}], minItems: 2, items: false };
  assert.equal(findPlace(pair, []), "");
  assert.equal(findPlace(pair, [1]), "");
  assert.equal(findPlace(pair, [1, null]), undefined);
  assert.equal(findPlace(pair, [1, 2, 3]), "[2]");
  assert.equal(findPlace({ allOf: [pair, true] }, []), "");
});

test("a closed object inside allOf stays closed", () => {
  const closed = { type: "object", properties: { a: true }, additionalProperties: false };
  const names = { type: "object", propertyNames: { type: "string", maxLength: 1 } };
  assert.equal(findPlace({ allOf: [closed, { type: "object", properties: { b: true } }] }, { b: 1 }), "");
  assert.equal(findPlace({ allOf: [closed, true] }, { a: 1 }), undefined);
  assert.equal(findPlace({ allOf: [{ $ref: "#/$defs/closed" }, true], $defs: { closed } }, { b: 1 }), "");
  assert.equal(findPlace({ allOf: [names, true] }, { ab: 1 }), "");
});

test("a disallowed property of a nested object is reported at that object", () => {
  const inner = { type: "object", additionalProperties: false };
  const schema = { type: "object", properties: { a: inner }, additionalProperties: false };
  assert.equal(findPlace(schema, { a: { b: 1 } }), "a");
  assert.equal(findPlace(schema, { b: 1 }), "");
});

test("keywords next to a reference or a pattern are enforced", () => {
  const beside = {
    $ref: "#/$defs/text",
    maxLength: 2,
    type: "string",
    $defs: { text: { pattern: "^a", type: "string" } },
  };
  assert.equal(findPlace(beside, "ab"), undefined);
  assert.equal(findPlace(beside, "abc"), "");
  assert.equal(findPlace(beside, "b"), "");
  const rest = {
    type: "object",
    patternProperties: { "^a": true },
    additionalProperties: { type: "string" },
  };
  assert.equal(findPlace(rest, { a: 1, b: "x" }), undefined);
  assert.equal(findPlace(rest, { b: 1 }), "b");
});

test("equal items are found in linear time, whatever the order of their members", () => {
  const list = { type: "array", uniqueItems: true };
  assert.equal(
    findPlace(list, [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ]),
    "[1]",
  );
  assert.equal(findPlace(list, [1, "1", true, null, "true", {}, []]), undefined);
  assert.equal(
    findPlace(
      list,
      Array.from({ length: 200_000 }, (_, at) => at),
    ),
    undefined,
  );
});

test("R22 lengths count code points", () => {
  const schema = {
    type: "object",
    properties: { a: { type: ["string", "null"], maxLength: 2 }, b: { type: "integer" } },
  };
  assert.equal(findPlace(schema, { a: "🙂🙂" }), undefined);
  assert.equal(findPlace(schema, { a: "🙂🙂🙂" }), "a");
  assert.equal(findPlace(schema, { a: "🙂🙂", b: "x" }), "b");
  assert.equal(findPlace({ type: "string", maxLength: 1 }, "🙂"), undefined);
});

test("a default never replaces a required value", () => {
  const schema = { type: "object", required: ["a"], properties: { a: { type: "string", default: "x" } } };
  assert.equal(findPlace(schema, {}), "a");
});

test("references resolve anywhere in the document, and may recur", () => {
  const schema = {
    type: "object",
    properties: { head: { $ref: "#/$defs/node" }, name: { $ref: "#/$defs/node/properties/name" } },
    $defs: {
      node: {
        type: "object",
        properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" }, top: { $ref: "#" } },
      },
    },
  };
  assert.equal(findPlace(schema, { head: { next: { next: { name: "a" } } } }), undefined);
  assert.equal(findPlace(schema, { head: { next: { next: { name: 4 } } } }), "head.next.next.name");
  assert.equal(findPlace(schema, { head: { top: { head: { name: 4 } } } }), "head.top.head.name");
  assert.equal(findPlace(schema, { name: 4 }), "name");
});

test("date-time and date are enforced, other formats are annotations", () => {
  assert.equal(findPlace({ type: "string", format: "date-time" }, "2026-04-01T10:00:00+02:00"), undefined);
  assert.equal(findPlace({ type: "string", format: "date-time" }, "yesterday"), "");
  assert.equal(findPlace({ type: "string", format: "date" }, "2026-13-01"), "");
  assert.equal(findPlace({ type: "string", format: "email" }, "root@localhost"), undefined);
});

test("a check neither changes nor freezes the value", () => {
  const schema = { type: "object", properties: { a: { type: "object", readOnly: true } } };
  const value = { a: { b: 1 }, c: 2 };
  createSchemaCheck(jsonSchemaSchema.parse(schema))(value);
  assert.deepEqual(value, { a: { b: 1 }, c: 2 });
  assert.equal(Object.isFrozen(value.a), false);
});

test("a problem never quotes the value", () => {
  const secret = "s3cret";
  for (const schema of [
    { type: "integer" },
    { type: "string", maxLength: 2 },
    { type: "string", pattern: "^a" },
    { enum: ["a", "b"] },
    { const: "a" },
    { anyOf: [{ type: "integer" }, { const: "a" }] },
    { type: "string", format: "date-time" },
  ]) {
    const problem = createSchemaCheck(jsonSchemaSchema.parse(schema))(secret);
    assert.ok(problem && !problem.message.includes(secret), problem?.message);
  }
});
