/** `npm run hosts`: other people's clients and suites, too heavy for every test run. */
import { runConformance } from "./conformance.ts";
import { runInspector } from "./inspector.ts";

const outcomes = { conformance: await runConformance(), inspector: await runInspector() };
console.log(outcomes);
process.exitCode = Object.values(outcomes).every(Boolean) ? 0 : 1;
