import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "../../../../testing/until.ts";
import { startCommand } from "../command/start-command.ts";
import { keepBackingUp } from "./dated-backups.ts";

/** Collects what is written to standard error. */
function hear(t: TestContext): string[] {
  const said: string[] = [];
  t.mock.method(console, "error", (line: string) => said.push(line));
  return said;
}

test("a folder of backups that is gone is said at each attempt, and ends no server", async (t) => {
  const said = hear(t);
  const folder = mkdtempSync(join(tmpdir(), "rungs-dated-"));
  rmSync(folder, { recursive: true });
  const end = keepBackingUp({ folder, every_ms: 20, keep: 2 }, {});
  t.after(end);
  await until(() => said.length >= 3);
  assert.match(said[0] ?? "", /^rungs: No backup was made, .*ENOENT/);
});

test("a process that cannot be started is said, and ends no server", async (t) => {
  const said = hear(t);
  const { execPath } = process;
  t.after(() => {
    process.execPath = execPath;
  });
  process.execPath = join(tmpdir(), "no-such-program");
  await startCommand(["backup"], {}).ended;
  assert.match(said[0] ?? "", /^rungs: The process for rungs backup failed \(spawn/);
});
