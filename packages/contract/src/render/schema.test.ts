import assert from "node:assert/strict";
import { test } from "node:test";
import { formatToolCall } from "./options.ts";
import { renderSchema } from "./schema.ts";

const call = { operation: "schema" as const, args: {} };

function streamOf(connection_id: string, ...names: string[]) {
  const fields = names.map((name) => ({ name, type: "string", searchable: true as const }));
  return { connection_id, stream: "turns", record_count: 3, primary_key: ["id"], fields };
}

test("R35 fields that several connections share are listed once, and the others name where", () => {
  const streams = [streamOf("a", "id", "text"), streamOf("b", "id", "text"), streamOf("c", "id")];
  const text = renderSchema({ object: "schema", streams }, call, { write: formatToolCall });
  assert.deepEqual(text.split("\n\n").slice(0, 3), [
    `connection_id="a" stream="turns": 3 records
  key: id
  - id: string [searchable]
  - text: string [searchable]`,
    `connection_id="b" stream="turns": 3 records
  key and fields: as of connection_id="a" stream="turns"`,
    `connection_id="c" stream="turns": 3 records
  key: id
  - id: string [searchable]`,
  ]);
});
