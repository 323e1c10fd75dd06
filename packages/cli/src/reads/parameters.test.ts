import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "@rungs/contract";
import { formatCommandLine } from "@rungs/evidence";
import { commands } from "../commands/index.ts";
import { listOptions, type ReadShape } from "./parameters.ts";

const shapes = {
  schema: { operation: operations.schema, operands: { stream: "[STREAM]" } },
  search: { operation: operations.search, operands: { q: "QUERY" } },
  read_record_field: { operation: operations.read_record_field, operands: { id: "ID", field_path: "FIELD" } },
  fetch: { operation: operations.fetch, operands: { id: "ID" } },
  query_records: { operation: operations.query_records, operands: { stream: "STREAM" } },
  aggregate: { operation: operations.aggregate, operands: { stream: "STREAM" } },
} as const satisfies Record<string, ReadShape>;

for (const [operation, shape] of Object.entries(shapes) as [keyof typeof shapes, ReadShape][]) {
  test(`R44 what an answer writes for ${operation} is what its command takes`, async () => {
    const names = Object.keys(shape.operation.input.shape);
    const args = Object.fromEntries(names.map((name) => [name, "x"]));
    const [, command = "", ...words] = formatCommandLine({ operation, args }).split(" ");
    const taken = commands.find(({ name }) => name === command);
    assert.deepEqual(taken?.operands, Object.values(shape.operands));
    assert.equal(taken?.about, shape.operation.summary);
    const { options = {} } = (await taken?.load()) ?? {};
    const flags = words.filter((word) => word.startsWith("--")).map((word) => word.slice(2));
    const isRecord = "id" in shape.operands;
    for (const flag of flags.filter((each) => !(isRecord && each === "stream"))) {
      assert.ok(options[flag], flag);
    }
  });

  test(`every option of ${operation} says what it is for`, () => {
    for (const [flag, { about, value }] of Object.entries(listOptions(shape))) {
      assert.ok((about.length > 8 && value !== "TEXT") || flag === "q", flag);
    }
  });
}
