import assert from "node:assert/strict";
import { test } from "node:test";
import { soakBeside } from "../../soak/beside.ts";
import { soakHostile } from "../../soak/hostile.ts";
import { soakLoad } from "../../soak/load.ts";

const ENGINES = ["SQLite", "PostgreSQL"] as const;
/** More agents than threads and connections. */
const AGENTS = 20;
/** Long enough for each agent to climb and each attack to run; the long form is `npm run soak load`. */
const SECONDS = 0.3;

for (const engine of ENGINES) {
  test(`many agents climb the ladder at once without an error, in bounded memory (${engine})`, async () => {
    const { climbs, times } = await soakLoad({
      engine,
      agents: AGENTS,
      records: 500,
      seconds: SECONDS,
      think_ms: 10,
    });
    assert.ok(climbs >= AGENTS);
    assert.equal(times.get("next window")?.length, 2 * climbs);
  });

  test(`R56 R57 agents and /healthz get answers beside a hostile client (${engine})`, async () => {
    const { answers, attacks } = await soakHostile({
      engine,
      agents: 8,
      records: 500,
      seconds: SECONDS,
      rounds: 1,
      think_ms: 20,
    });
    assert.ok(answers >= 8);
    for (const [attack, count] of Object.entries(attacks)) assert.ok(count > 0, attack);
  });

  test(`windows are answered while a slow client, an export and an import run (${engine})`, async () => {
    const { windows, exported_bytes } = await soakBeside({ engine, records: 500, seconds: SECONDS });
    assert.ok(windows > 0 && exported_bytes > 0);
  });
}
