import assert from "node:assert/strict";
import { test } from "node:test";
import { listUses } from "../pages/connections.ts";

const stream = (record_count: number, fields: object[]) =>
  ({ connection_id: "c", stream: "s", record_count, primary_key: ["id"], fields }) as never;

test("the uses of a source follow from roles and searchable fields, whatever the fields are called", () => {
  const fields = [
    { name: "x1", type: "string", role: "actor" },
    { name: "x2", type: "string", searchable: true },
    { name: "sender", type: "string" },
  ];
  assert.deepEqual(listUses({ streams: [stream(1, fields)] }), ["full-text search", "who wrote or did what"]);
});

test("a stream without records adds no use, unless all are empty", () => {
  const [mail, amounts] = [
    [{ name: "a", type: "string", role: "thread" }],
    [{ name: "b", type: "number", role: "amount" }],
  ];
  assert.deepEqual(listUses({ streams: [stream(2, mail), stream(0, amounts)] }), ["conversations"]);
  assert.deepEqual(listUses({ streams: [stream(0, amounts)] }), ["amounts"]);
  assert.deepEqual(listUses({ streams: [] }), []);
});
