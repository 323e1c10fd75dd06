import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@rungs/contract";
import { createFilePlace } from "../../../../testing/engines.ts";
import { createGrant } from "./grants.ts";
import { ensureOwner } from "./owner-context.ts";

test("R55 no client has a name by which the audit log means the owner", async (t) => {
  const place = createFilePlace();
  const store = await place.open();
  t.after(async () => {
    await store.close();
    await place.remove();
  });
  const owner = { store, owner_id: await ensureOwner(store), now: Date.now };
  for (const client_id of ["owner", "console"])
    await assert.rejects(
      createGrant(owner, { client: { client_id }, details: [] }),
      (error) =>
        error instanceof ApiError && error.code === "invalid_request" && /no client may/.test(error.message),
    );
});
