import { after, before, test } from "node:test";
import { type Engine, openEngines } from "../../bench/engines.ts";
import { measureCurves, requireFlat } from "../../soak/curves.ts";

const SIZES = [1_000, 5_000];

let opened: Engine[] = [];
before(async () => {
  opened = await openEngines();
});
after(async () => {
  for (const engine of opened) await engine?.close();
});

test("the cost of windows is independent of the number of records, and a search scales with its results", async () => {
  for (const engine of opened) requireFlat(await measureCurves(engine, SIZES));
});
