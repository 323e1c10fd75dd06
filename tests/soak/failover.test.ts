import assert from "node:assert/strict";
import { test } from "node:test";
import { soakFailover } from "../../soak/failover.ts";

/** The long form is `npm run soak failover`. */
test("R131 failing servers and databases lose no acknowledged write, and revive no access", async (t) => {
  const seed = Number(process.env.RUNGS_FAILOVER_SEED ?? Date.now() % 1_000_000);
  t.diagnostic(`RUNGS_FAILOVER_SEED=${seed}`);
  const { faults, counts } = await soakFailover({ kills: 3, agents: 5, seed, pause_ms: 500 });
  assert.equal(
    Object.values(faults).reduce((sum, count) => sum + count),
    3,
  );
  assert.ok(counts.writes > 0 && counts.reads > 0 && counts.revocations > 0 && counts.checks > 0);
});
