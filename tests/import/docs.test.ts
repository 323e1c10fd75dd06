import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { importers } from "@rungs/importers";

const page = readFileSync(new URL("../../docs/importing.md", import.meta.url), "utf8");

test("the page on importing lists every format in the order of detection, with its streams", () => {
  const rows = page.split("\n").flatMap((line) => /^\| `([a-z-]+)` \|(.*)$/.exec(line)?.slice(1, 3) ?? []);
  const table = new Map(
    Array.from({ length: rows.length / 2 }, (_, at) => [rows[2 * at], rows[2 * at + 1] ?? ""]),
  );
  assert.deepEqual([...table.keys()], [...importers.map(({ id }) => id), "records"]);
  for (const { id, manifest } of importers) {
    for (const { name } of manifest.streams)
      assert.ok(table.get(id)?.includes(`\`${name}\``), `${id} ${name}`);
  }
});
