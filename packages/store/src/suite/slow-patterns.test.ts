/** Rules by pattern whose expressions are slow (R57, R81). */
import assert from "node:assert/strict";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { createOwner, EMITTED_AT, ingest, message, OWNER } from "../../../../testing/store/world.ts";

testOnEachEngine("R81 a slow expression is compared a few records at a time", async ({ store }) => {
  await createOwner(store);
  const random = new Random(1);
  // Each step of the expression may be the current one at each character.
  const body = Array.from({ length: 10_000 }, () => "ab"[random.below(2)]).join("");
  const records = ["m1", "m2", "m3", "m4"].map((id) => message(id, { body }));
  await ingest(store, records);
  const hides = { kind: "pattern", pattern: "a[ab]{480}[^ab]" } as const;
  await store.putExclusion(OWNER, { rule_id: "r1", created_at: EMITTED_AT, hides });
  const steps: number[] = [];
  for (let step = await store.tagMatching(OWNER); step.state === "progress"; ) {
    steps.push(step.record_count);
    step = await store.tagMatching(OWNER);
  }
  assert.ok(Math.max(...steps) < records.length, steps.join());
  assert.equal(
    steps.reduce((sum, count) => sum + count),
    records.length,
  );
  const [rule] = await store.listExclusions(OWNER);
  assert.equal(rule?.is_unfinished, undefined);
});
