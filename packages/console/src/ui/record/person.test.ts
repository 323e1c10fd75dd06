import assert from "node:assert/strict";
import { test } from "node:test";
import { splitPerson } from "./person.ts";

test("a mailbox is a name and an address, anything else a name", () => {
  const ana = { name: "Ana Duarte", address: "ana@example.org" };
  assert.deepEqual(splitPerson("Ana Duarte <ana@example.org>"), ana);
  assert.deepEqual(splitPerson('"Ana Duarte" <ana@example.org>'), ana);
  for (const name of ["Ana", "ana@example.org", "<ana@example.org>", "a < b", "", "A <x> B <y@z>"])
    assert.deepEqual(splitPerson(name), { name });
});
