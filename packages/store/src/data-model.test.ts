import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { primaryKeys } from "./schema.ts";
import { type TableName, tables } from "./tables.ts";

const page = readFileSync(new URL("../../../docs/data-model.md", import.meta.url), "utf8");
const names = Object.keys(tables).sort();

test("docs/data-model.md says in one line what each table keeps", () => {
  const described = [...page.matchAll(/^\| `(\w+)` \| .+ \|$/gm)].map(([, name]) => name);
  assert.deepEqual(described.sort(), names);
});

test("docs/data-model.md draws each table with its columns and its key", () => {
  const drawn = [...page.matchAll(/^ {2}(\w+) \{\n([^}]+)\}/gm)];
  assert.deepEqual(drawn.map(([, name]) => name).sort(), names);
  for (const [, name, body] of drawn) {
    const key = primaryKeys[name as TableName].split(", ");
    const columns = Object.entries<string>(tables[name as TableName]).map(
      ([column, type]) => `${type} ${column}${key.includes(column) ? " PK" : ""}`,
    );
    assert.deepEqual((body as string).trim().split(/\s*\n\s*/), columns, name);
  }
});

test("docs/data-model.md relates only tables that exist", () => {
  const related = [...page.matchAll(/^ {2}(\w+) [|}][|o]--[|o][|{] (\w+) : /gm)].flatMap(([, from, to]) => [
    from as string,
    to as string,
  ]);
  assert.deepEqual([...new Set(related)].sort(), names);
});
