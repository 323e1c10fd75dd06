import assert from "node:assert/strict";
import { test } from "node:test";
import { operations, READ_NAMES, type ReadName } from "@rungs/contract";
import { READ_COMMANDS } from "../command/flags.ts";
import { commands } from "../commands/index.ts";
import { formatCommandLine } from "./command-line.ts";
import { listOptions, type ReadShape } from "./parameters.ts";

const shapes = READ_NAMES.filter((name) => name !== "read_blob").map((name): [ReadName, ReadShape] => [
  name,
  { operation: operations[name], operands: READ_COMMANDS[name].operands },
]);

for (const [operation, shape] of shapes) {
  test(`R44 the command line that an answer prints for ${operation} is one that its command accepts`, async () => {
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
