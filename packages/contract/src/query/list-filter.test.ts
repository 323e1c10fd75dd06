import assert from "node:assert/strict";
import { test } from "node:test";
import { describeStream } from "../manifest/stream-shape.ts";
import { parseFilters, requireComparable } from "./filter.ts";

const shape = describeStream({
  name: "messages",
  semantics: "mutable_state",
  primary_key: ["id"],
  query: { range_filters: ["to", "scores"], search: { lexical_fields: ["to", "body"] } },
  schema: {
    type: "object",
    properties: {
      id: { type: "string" },
      body: { type: "string" },
      to: { type: ["array", "null"], items: { type: "string" } },
      sender: { type: "object", x_pdpp_role: "actor", properties: { name: { type: "string" } } },
      scores: { type: "array", items: { type: "integer" } },
      tags: { type: "array", items: { type: "string" } },
    },
  },
});

test("R68 lists and persons take = and != with a value of their items", () => {
  assert.deepEqual(parseFilters(["to=ann@x.example", "sender!=Bob", "scores=3"], shape), [
    { field: "to", op: "=", value: "ann@x.example" },
    { field: "sender", op: "!=", value: "Bob" },
    { field: "scores", op: "=", value: 3 },
  ]);
  assert.throws(() => parseFilters(["to>ann"], shape), /has several values.*use = or !=/);
  assert.throws(() => parseFilters(["scores=three"], shape), /cannot have \(integer\)/);
});

test("R68 a refused filter lists the filterable fields, and no list can be ordered by", () => {
  assert.throws(() => parseFilters(["tags=x"], shape), /not filterable; these are: id, to, sender, scores/);
  assert.throws(() => requireComparable(shape, "to", "order_by"), /not aggregatable; these are: id/);
});
