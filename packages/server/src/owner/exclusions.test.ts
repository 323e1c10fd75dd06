import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@rungs/contract";
import { createFilePlace } from "../../../../testing/engines.ts";
import { addExclusion, listExclusions, removeExclusion } from "./exclusions.ts";
import { ensureOwner } from "./owner-context.ts";

test("R81 an owner has a bounded number of rules by pattern", async (t) => {
  const place = createFilePlace();
  const store = await place.open();
  t.after(async () => {
    await store.close();
    await place.remove();
  });
  const owner = { store, owner_id: await ensureOwner(store), now: Date.now };
  const add = (at: number) => addExclusion(owner, { kind: "pattern", pattern: `CASE-${at}` });
  for (let at = 0; at < 50; at += 1) await add(at);
  await addExclusion(owner, { kind: "person", person: "ada" });
  await assert.rejects(add(50), (error) => error instanceof ApiError && error.code === "invalid_request");
  const [first] = await listExclusions(owner);
  await removeExclusion(owner, first?.rule_id ?? "");
  await add(51);
});
