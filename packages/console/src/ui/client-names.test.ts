import assert from "node:assert/strict";
import { test } from "node:test";
import { nameClients } from "./client-names.ts";

test("a client is shown by its name, plus its id if the name is ambiguous, and the owner as you", () => {
  const name = nameClients([
    { client_id: "cuIMcVRI0", name: "Bird Notes" },
    { client_id: "dxY8aaaaa", name: "Bird Notes" },
    { client_id: "epQ1bbbbb", name: "Roof helper" },
    { client_id: "fzz9ccccc", name: "You (console)" },
    { client_id: "demo agent" },
  ]);
  assert.equal(name("cuIMcVRI0"), "Bird Notes (cuIMcV…)");
  assert.equal(name("dxY8aaaaa"), "Bird Notes (dxY8aa…)");
  assert.equal(name("epQ1bbbbb"), "Roof helper");
  assert.equal(name("demo agent"), "demo agent");
  assert.equal(name("gone"), "gone");
  assert.equal(name("console"), "You (console)");
  assert.equal(name("owner"), "You");
  assert.equal(name("fzz9ccccc"), "You (console) (fzz9cc…)");
});
