/** Grants that mask, and the copies that they need. */
import assert from "node:assert/strict";
import type { Grant, StreamMasks } from "@rungs/contract";
import type { Store } from "@rungs/store";
import { CONNECTIONS } from "./random-questions.ts";
import { createTestGrant, OWNER } from "./world.ts";

/** A grant of streams with masks. */
export function grantWith(masks: Readonly<Record<string, StreamMasks>>, grant_id = "masked"): Grant {
  const [detail] = createTestGrant(grant_id).authorization_details;
  assert.ok(detail);
  const streams = Object.entries(masks).map(([name, each]) => ({
    name,
    instance_ids: CONNECTIONS,
    fields: ["id"],
    masks: each,
  }));
  return createTestGrant(grant_id, { authorization_details: [{ ...detail, streams }] });
}

/** Completes every masked copy. */
export async function copyAll(store: Store): Promise<void> {
  while ((await store.copyMasked(OWNER)).state === "progress");
}
