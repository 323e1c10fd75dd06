import assert from "node:assert/strict";
import { test } from "node:test";
import { soakProcesses } from "../../soak/processes.ts";

test("a server, an import and two stdio adapters share one SQLite database without an error", async () => {
  const { acknowledged, imports, calls } = await soakProcesses(3, 500);
  assert.ok(acknowledged > 0 && imports > 0 && calls > 0);
});
