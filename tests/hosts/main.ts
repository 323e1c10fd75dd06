/** `npm run hosts [PART…]`: third-party hosts, clients and suites, too heavy for every test run. */
import { runConformance } from "./conformance.ts";
import { runInspector } from "./inspector.ts";
import { runLadder } from "./ladder/run-ladder.ts";

const PARTS: Readonly<Record<string, () => Promise<boolean>>> = {
  conformance: runConformance,
  inspector: runInspector,
  ladder: runLadder,
};

const named = process.argv.slice(2);
const chosen = named.length > 0 ? named : Object.keys(PARTS);
const outcomes: Record<string, boolean> = {};
for (const name of chosen) {
  const part = PARTS[name];
  if (!part) throw new Error(`There is no part ${name}; there are ${Object.keys(PARTS).join(", ")}.`);
  outcomes[name] = await part();
}
console.log(outcomes);
process.exitCode = Object.values(outcomes).every(Boolean) ? 0 : 1;
