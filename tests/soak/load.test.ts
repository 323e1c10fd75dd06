import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Engine, openEngines } from "../../bench/engines.ts";
import { soakBeside } from "../../soak/beside.ts";
import { measureCurves, requireFlat } from "../../soak/curves.ts";
import { soakLoad } from "../../soak/load.ts";

const ENGINES = ["SQLite", "PostgreSQL"] as const;
const SIZES = [2_000, 10_000];

for (const engine of ENGINES) {
  test(`many agents climb the ladder at once without an error, in bounded memory (${engine})`, async () => {
    const { climbs, times } = await soakLoad({ engine, agents: 50, records: 500, seconds: 1, think_ms: 10 });
    assert.ok(climbs >= 50);
    assert.equal(times.get("next window")?.length, 2 * climbs);
  });

  test(`windows are answered beside a slow client, an export and an import (${engine})`, async () => {
    const { windows, exported_bytes } = await soakBeside({ engine, records: 500, seconds: 1 });
    assert.ok(windows > 0 && exported_bytes > 0);
  });
}

let opened: Engine[] = [];
before(async () => {
  opened = await openEngines();
});
after(async () => {
  for (const engine of opened) await engine.close();
});

test("windows cost the same however many records there are, and a search grows no faster than what it finds", async () => {
  for (const engine of opened) requireFlat(await measureCurves(engine, SIZES));
});
