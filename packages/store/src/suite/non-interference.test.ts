/** Nothing outside a scope changes an answer under it (R17, R54): not a score, an order, a count, a time, a cut or a tombstone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReadScope } from "@rungs/contract";
import { engines } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { readSize } from "../../../../testing/sizes.ts";
import { createManifest } from "../../../../testing/store/manifests.ts";
import { Oracle } from "../../../../testing/store/oracle.ts";
import { addPatternRules } from "../../../../testing/store/pattern-rules.ts";
import { CONNECTIONS, randomScope } from "../../../../testing/store/random-questions.ts";
import { createOwner } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";
import { answersOf, randomQuestions } from "./answers.ts";
import { Differential, inBackground } from "./differential.ts";
import { randomHiddenWrite } from "./hidden-writes.ts";

const ROUNDS = readSize("RUNGS_INTERFERENCE_ROUNDS");
const SEED = Number(process.env.RUNGS_INTERFERENCE_SEED ?? 1);

test("R17 R54 writes outside a scope change no answer under it, on both engines", () =>
  compareAnswers(false));

test("R17 R65 nor while records wait for their vectors", () => compareAnswers(true));

async function compareAnswers(embedsInBackground: boolean): Promise<void> {
  const clock = { now: new Date("2026-06-01T00:00:00Z") };
  const places = [await engines.sqlite(), await engines.postgres()] as const;
  const options = { now: () => clock.now, ...(embedsInBackground && inBackground) };
  const stores = [await places[0].open(options), await places[1].open(options)] as const;
  try {
    const oracle = new Oracle(createManifest(), { embedsInBackground });
    for (const owner_id of ["me", "you"]) {
      for (const store of stores) {
        await createOwner(store, { owner_id, connections: CONNECTIONS });
        await addPatternRules(store, owner_id);
      }
      for (const connection_id of CONNECTIONS) oracle.putConnection(owner_id, connection_id);
    }
    const world = new Differential(new Random(SEED), oracle, ["me", "you"], stores, clock);
    let hidden = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let write = 0; write < 4; write += 1) await world.write("me");
      if (embedsInBackground) await world.embed("me");
      hidden += await assertUnnoticed(world, stores, `RUNGS_INTERFERENCE_SEED=${SEED}, round ${round}`);
    }
    assert.ok(hidden > ROUNDS * 3, `${hidden} hidden writes`);
  } finally {
    for (const store of stores) await store.close();
    for (const place of places) await place.remove();
  }
}

/** Reads, writes outside the scope, and reads again. Returns the number of writes. */
async function assertUnnoticed(
  world: Differential,
  stores: readonly Store[],
  where: string,
): Promise<number> {
  const { random, oracle } = world;
  const scope = randomScope(random, oracle, "me");
  const [first] = scope.streams;
  const horizons = first
    ? await Promise.all(stores.map((store) => store.listChanges(scope, { ...first, since: 0, limit: 1 })))
    : [];
  const horizon = horizons[0]?.horizon ?? 0;
  const questions = randomQuestions(random, oracle, scope, [0, Math.floor(horizon / 2)]);
  const before = await world.both((store) => answersOf(store, scope, questions));
  const writes = await writeHidden(world, scope);
  const after = await world.both((store) => answersOf(store, scope, questions));
  assert.equal(after, before, `${where}, under ${JSON.stringify(scope)}`);
  return writes;
}

async function writeHidden(world: Differential, scope: ReadScope): Promise<number> {
  const { random, oracle } = world;
  let writes = 0;
  for (let tries = 0; tries < 20; tries += 1) {
    const hidden = randomHiddenWrite(random, oracle, scope, world.emittedAt());
    if (!hidden) continue;
    await world.ingest(scope.owner_id, hidden.connection_id, [hidden.envelope]);
    writes += 1;
  }
  await world.write("you");
  if (random.chance(0.3)) await world.both((store) => store.tidy(scope.owner_id));
  return writes;
}
