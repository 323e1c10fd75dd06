import assert from "node:assert/strict";
import { test } from "node:test";
import { readLock } from "../../scripts/supply-chain-lock.ts";

test("the lock file has the digest of every package, for every platform", () => {
  const packages = readLock();
  assert.ok(packages.length > 100);
  assert.deepEqual(
    packages.filter(({ integrity }) => integrity === undefined).map(({ path }) => path),
    [],
  );
});
