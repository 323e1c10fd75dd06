/**
 * `RUNGS_AUTHORIZATION_GRANTS` sets how many random grants each engine is asked under, `RUNGS_AUTHORIZATION_QUESTIONS` how often, half
 * over REST and half over MCP.
 */
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { engines } from "../../testing/engines.ts";
import { Random } from "../../testing/random.ts";
import { readSize } from "../../testing/sizes.ts";
import { AuthorizationWorld, BudgetSpent } from "./authorization.ts";
import { toolQuestions } from "./authorization-mcp.ts";
import { restQuestions } from "./authorization-rest.ts";

const GRANTS = readSize("RUNGS_AUTHORIZATION_GRANTS");
const SEED = Number(process.env.RUNGS_AUTHORIZATION_SEED ?? 41);
const QUESTIONS_PER_GRANT = Number(process.env.RUNGS_AUTHORIZATION_QUESTIONS ?? 12);

for (const [engine, create] of Object.entries(engines)) {
  test(`R17 R50 R51 R54 R66 R80 R81 R82 R83 nothing outside a random grant is returned, counted or hinted at (${engine})`, async (context) => {
    const place = await create();
    const store = await place.open();
    try {
      const random = new Random(SEED);
      const world = new AuthorizationWorld(random, store);
      await world.fill(120);
      const surfaces = [restQuestions(world), toolQuestions(world)];
      let [pairs, spent] = [0, 0];
      for (let grant = 0; grant < GRANTS; grant += 1) {
        // What one turn of the event loop holds is let go only at its end, and SQLite never ends one.
        await nextTurn();
        await world.grant();
        if (world.isEmpty) continue;
        for (let question = 0; question < QUESTIONS_PER_GRANT; question += 1) {
          try {
            await random.pick(random.pick(surfaces))();
            pairs += 1;
          } catch (error) {
            if (error instanceof BudgetSpent) {
              spent += 1;
              break;
            }
            throw new Error(`grant ${grant}, question ${question}, under ${JSON.stringify(world.scope)}`, {
              cause: error,
            });
          }
        }
      }
      context.diagnostic(`${pairs} pairs of a grant and a request; ${spent} budgets used up`);
    } finally {
      await store.close();
      await place.remove();
    }
  });
}
