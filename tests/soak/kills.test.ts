import assert from "node:assert/strict";
import { test } from "node:test";
import { soakKills } from "../../soak/kills.ts";

/** The long form is `npm run soak kills`. */
const short = { SQLite: 2, PostgreSQL: 3 } as const;

for (const [engine, kills] of Object.entries(short) as [keyof typeof short, number][]) {
  test(`killed under load, the server, an import and the database neither lose nor duplicate acknowledged writes (${engine})`, async () => {
    const figures = await soakKills({ engine, kills, records: 600, pause_ms: 400 });
    assert.deepEqual([...new Set(Object.values(figures.kills))], [1]);
    assert.ok(figures.acknowledged > 0 && figures.imports > 0);
  });
}
