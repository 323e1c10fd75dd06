/**
 * `RUNGS_AUTHORIZATION_GRANTS` sets how many random grants each engine is probed under, `RUNGS_AUTHORIZATION_QUESTIONS`
 * the number of probes, half over REST and half over MCP. The grants belong to two owners, whose records have the same
 * keys.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import pg from "pg";
import { engines } from "../../testing/engines.ts";
import { Random } from "../../testing/random.ts";
import { readSize } from "../../testing/sizes.ts";
import { AuthorizationWorld, BudgetSpent } from "./authorization.ts";
import { toolQuestions } from "./authorization-mcp.ts";
import { restQuestions } from "./authorization-rest.ts";
import { watchQuestions } from "./authorization-watch.ts";

const GRANTS = readSize("RUNGS_AUTHORIZATION_GRANTS");
const SEED = Number(process.env.RUNGS_AUTHORIZATION_SEED ?? 41);
const QUESTIONS_PER_GRANT = Number(process.env.RUNGS_AUTHORIZATION_QUESTIONS ?? 12);
/** The same code with modified statements: fewer grants suffice to verify row-level security. */
const MUTANT_GRANTS = Math.ceil(GRANTS / 8);

for (const engine of ["sqlite", "postgres"] as const)
  test(`R17 R50 R51 R54 R66 R80 R81 R82 R83 R129 nothing outside a random grant is returned, counted or hinted at (${engine})`, (context) =>
    askUnderGrants(context, engine, GRANTS));

test("R120 R129 the same holds when no statement has the program's condition on the owner (postgres)", async (context) => {
  const counts = takeOutConditions(context);
  await askUnderGrants(context, "postgres", MUTANT_GRANTS);
  assert.ok(counts.changed > 1_000, `${counts.changed} statements were changed`);
});

async function askUnderGrants(
  context: TestContext,
  engine: keyof typeof engines,
  grants: number,
): Promise<void> {
  const place = await engines[engine]();
  const store = await place.open();
  try {
    const random = new Random(SEED);
    const world = new AuthorizationWorld(random, store);
    await world.fill(120);
    // A watch costs as much as several probes, so it gets fewer turns.
    const asked = [restQuestions(world), toolQuestions(world)];
    const surfaces = [...asked, ...asked, ...asked, watchQuestions(world)];
    let [pairs, spent] = [0, 0];
    for (let grant = 0; grant < grants; grant += 1) {
      // Yield: memory is released only after a turn of the event loop, and SQLite's synchronous calls never end one.
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
}

/** Disables the owner condition in every statement that reads under the server's role. */
function takeOutConditions(context: TestContext): { changed: number } {
  const counts = { changed: 0 };
  const { query } = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  context.mock.method(pg.Client.prototype, "query", function (this: object, ...args: unknown[]) {
    const [statement, ...rest] = args as [{ text?: unknown; name?: unknown } | string];
    if (typeof statement === "string" || typeof statement?.text !== "string" || !hasRole(this))
      return query.apply(this, args);
    const text = /^\s*(?:SELECT|WITH)\b/.test(statement.text)
      ? statement.text.replace(/\b(?:\w+\.)?owner = \$1(?!\d)/g, "$$1::bigint IS NOT NULL")
      : statement.text;
    if (text !== statement.text) counts.changed += 1;
    // Some statements are objects with methods.
    statement.text = text;
    return query.apply(this, [statement, ...rest]);
  });
  return counts;
}

function hasRole(client: object): boolean {
  const { connectionParameters } = client as { connectionParameters?: { options?: string } };
  return connectionParameters?.options?.includes("role=") === true;
}
