/**
 * Random writes and reads, on both engines and on the oracle. `RUNGS_DIFFERENTIAL_STEPS` sets the total number of steps;
 * `RUNGS_DIFFERENTIAL_SEED` runs a single seed. Every fourth seed reads in worker threads.
 */
import { test } from "node:test";
import { engines } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { readSize } from "../../../../testing/sizes.ts";
import { createManifest } from "../../../../testing/store/manifests.ts";
import { Oracle } from "../../../../testing/store/oracle.ts";
import { addPatternRules } from "../../../../testing/store/pattern-rules.ts";
import { CONNECTIONS } from "../../../../testing/store/random-questions.ts";
import { createOwner } from "../../../../testing/store/world.ts";
import { Differential, inBackground } from "./differential.ts";
import { EXPANSION, RANK_WINDOW, SIMILAR_SCAN } from "./read-comparisons.ts";

const STEPS = readSize("RUNGS_DIFFERENTIAL_STEPS");
const SEEDS = process.env.RUNGS_DIFFERENTIAL_SEED
  ? [Number(process.env.RUNGS_DIFFERENTIAL_SEED)]
  : [1, 2, 3, 4, 5, 6, 7, 8];
const OWNERS = ["me", "you"];

test("R11 R17 R51 both engines and the oracle agree on every answer", { concurrency: 2 }, async (context) => {
  await Promise.all(
    SEEDS.map((seed) => context.test(`seed ${seed}`, () => runSeed(seed, Math.ceil(STEPS / SEEDS.length)))),
  );
});

async function runSeed(seed: number, steps: number): Promise<void> {
  const clock = { now: new Date("2026-06-01T00:00:00Z") };
  const places = [await engines.sqlite(), await engines.postgres()] as const;
  const embedsInBackground = seed % 2 === 0;
  const options = {
    now: () => clock.now,
    rank_window: RANK_WINDOW,
    similar_scan: SIMILAR_SCAN,
    expansion: EXPANSION,
    workers: seed % 4 === 0 ? 2 : 0,
    ...(embedsInBackground && inBackground),
  };
  const stores = [await places[0].open(options), await places[1].open(options)] as const;
  try {
    const oracle = new Oracle(createManifest(), { embedsInBackground });
    for (const owner_id of OWNERS) {
      for (const store of stores) {
        await createOwner(store, { owner_id, connections: CONNECTIONS });
        await addPatternRules(store, owner_id);
      }
      for (const connection_id of CONNECTIONS) oracle.putConnection(owner_id, connection_id);
    }
    await runSteps(new Differential(new Random(seed), oracle, OWNERS, stores, clock), seed, steps);
  } finally {
    for (const store of stores) await store.close();
    for (const place of places) await place.remove();
  }
}

async function runSteps(differential: Differential, seed: number, count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) {
    const kind = differential.pickStep();
    try {
      await differential.steps[kind]?.run();
    } catch (error) {
      const where = `RUNGS_DIFFERENTIAL_SEED=${seed} RUNGS_DIFFERENTIAL_STEPS=${step + 1} ends with this ${kind}`;
      throw new Error(where, { cause: error });
    }
  }
}
