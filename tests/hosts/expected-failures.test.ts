import assert from "node:assert/strict";
import { test } from "node:test";
import { compareFailures, expectedFailures } from "./expected-failures.ts";

const REVISION = "2025-11-25";
const report = (failed: readonly string[]) =>
  [
    "✓ ping: 2 passed, 0 failed",
    ...failed.map((name) => `\u001b[31m✗ ${name}: 1 passed, 1 failed\u001b[0m`),
  ].join("\n");

test("every expected failure of the conformance suite has a reason, and the suite must show exactly these", () => {
  const names = Object.keys(expectedFailures[REVISION] ?? {});
  assert.deepEqual(compareFailures(REVISION, report(names)), []);
  assert.deepEqual(compareFailures(REVISION, report([...names, "tools-list"])), [
    `${REVISION}: tools-list failed`,
  ]);
  assert.match(compareFailures(REVISION, report(names.slice(1)))[0]!, /is expected to fail, but does not$/);
  assert.match(compareFailures(REVISION, "")[0]!, /printed no outcome/);
  for (const reasons of Object.values(expectedFailures))
    for (const reason of Object.values(reasons)) assert.match(reason, /^[A-Z].{40,}\.$/);
});
