/** `RUNGS_AUTHORIZATION_GRANTS` sets how many random grants each engine is asked under. */
import { test } from "node:test";
import { engines } from "../../packages/store/src/suite/engines.ts";
import { Random } from "../../packages/store/src/suite/random.ts";
import { AuthorizationWorld } from "./authorization.ts";

const GRANTS = Number(process.env.RUNGS_AUTHORIZATION_GRANTS ?? 300);
const QUESTIONS_PER_GRANT = 12;

for (const [engine, create] of Object.entries(engines)) {
  test(`R17 R50 R51 R54 nothing outside a random grant is returned, counted or hinted at (${engine})`, async () => {
    const place = await create();
    const store = await place.open();
    try {
      const random = new Random(41);
      const world = new AuthorizationWorld(random, store);
      await world.fill(120);
      for (let grant = 0; grant < GRANTS; grant += 1) {
        await world.grant();
        if (world.isEmpty) continue;
        for (let question = 0; question < QUESTIONS_PER_GRANT; question += 1) {
          try {
            await random.pick(world.questions)();
          } catch (error) {
            throw new Error(`grant ${grant}, question ${question}`, { cause: error });
          }
        }
      }
    } finally {
      await store.close();
      await place.remove();
    }
  });
}
