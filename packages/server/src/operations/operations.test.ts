import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { operations } from "@rungs/contract";
import { PROGRAM_VERSION } from "../settings/version.ts";
import { guardedHandlers, publicHandlers } from "./index.ts";

test("R50 every operation has a handler, and exactly the contract's public ones need no token", () => {
  const names = [...Object.keys(guardedHandlers), ...Object.keys(publicHandlers)];
  assert.deepEqual(names.sort(), Object.keys(operations).sort());
  for (const name of Object.keys(publicHandlers)) {
    assert.equal(operations[name as keyof typeof operations].kind, "public", name);
  }
  for (const name of Object.keys(guardedHandlers)) {
    assert.notEqual(operations[name as keyof typeof operations].kind, "public", name);
  }
});

test("the program's version equals that of its packages", () => {
  for (const name of ["server", "client", "cli"]) {
    const text = readFileSync(new URL(`../../../${name}/package.json`, import.meta.url), "utf8");
    assert.equal(JSON.parse(text).version, PROGRAM_VERSION, name);
  }
});
