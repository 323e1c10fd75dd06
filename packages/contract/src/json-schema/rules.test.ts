import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFieldPath } from "@rungs/evidence";
import { findSchemaProblem } from "./rules.ts";
import { jsonSchemaSchema } from "./schema.ts";

test("schemas that can be checked exactly have no problems", () => {
  for (const schema of [
    true,
    false,
    {},
    { type: ["string", "null"], minLength: 1, pattern: "^a" },
    { enum: ["a", 1, null] },
    { type: "number", enum: [1, 2.5] },
    { type: "array", prefixItems: [{ type: "string" }], items: false },
    { type: "object", additionalProperties: { $ref: "#" } },
    { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    { $ref: "#/$defs/a~1b%20c", title: "kept", "x-note": 1, $defs: { "a/b c": { type: "string" } } },
    { type: "object", properties: { a: { $ref: "#/properties/b" }, b: { type: "string" } } },
    { type: "object", properties: { next: { $ref: "#" } } },
    { type: "object", patternProperties: { "^a": true }, additionalProperties: { type: "string" } },
    { $ref: "#/$defs/a", type: "string", $defs: { a: {} } },
  ]) {
    assert.equal(findSchemaProblem(jsonSchemaSchema.parse(schema)), undefined, JSON.stringify(schema));
  }
});

test("keywords that would not be checked are problems, with their location", () => {
  const cases: [unknown, string][] = [
    [{ requried: ["a"] }, "requried"],
    [{ not: {} }, "not"],
    [{ if: {} }, "if"],
    [{ type: "object", unevaluatedProperties: false }, "unevaluatedProperties"],
    [{ type: "object", dependentRequired: {} }, "dependentRequired"],
    [{ $dynamicRef: "#a" }, "$dynamicRef"],
    [{ nullable: true }, "nullable"],
    [{ type: "array", items: { properties: { a: true } } }, "items.properties"],
    [{ allOf: [{ required: ["a"] }] }, "allOf[0].required"],
    [{ minLength: 3 }, "minLength"],
    [{ enum: ["a"], minLength: 3 }, "minLength"],
    [{ type: "string", enum: ["a", 4] }, ""],
    [{ type: "integer", const: 1.5 }, ""],
    [{ type: "string", pattern: "(" }, "pattern"],
    [{ type: "string", pattern: "\\p{L}" }, "pattern"],
    [{ type: "object", patternProperties: { "[": true } }, 'patternProperties["["]'],
  ];
  for (const [schema, place] of cases) {
    const problem = findSchemaProblem(jsonSchemaSchema.parse(schema));
    assert.equal(problem && formatFieldPath(problem.path), place, JSON.stringify(schema));
  }
});

test("references must resolve to a schema of the document", () => {
  for (const $ref of [
    "https://example.com/s",
    "other.json",
    "#/$defs/none",
    "#anchor",
    "#/type",
    "#/%",
    "",
  ]) {
    const problem = findSchemaProblem(jsonSchemaSchema.parse({ type: "array", items: { $ref } }));
    assert.deepEqual(problem?.path, ["items", "$ref"], $ref);
  }
});

test("circular references that never reach a value are problems", () => {
  for (const schema of [
    { $ref: "#" },
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
    {
      type: "array",
      items: { $ref: "#/$defs/a" },
      $defs: { a: { anyOf: [{ type: "string" }, { $ref: "#/$defs/a" }] } },
    },
  ]) {
    assert.match(findSchemaProblem(jsonSchemaSchema.parse(schema))?.message ?? "", /itself/);
  }
});
