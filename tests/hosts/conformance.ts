/** The protocol's own conformance suite against the real HTTP stack, for both revisions that matter. */
import { compareFailures, expectedFailures } from "./expected-failures.ts";
import { addFixtures } from "./fixtures/index.ts";
import { capture } from "./run.ts";
import { serveWithFixtures } from "./served.ts";

const SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";

/** Runs the suite; false when something failed that has no reason in `expected-failures.ts`, or no longer fails. */
export async function runConformance(): Promise<boolean> {
  const { url, stop } = await serveWithFixtures(addFixtures);
  try {
    const differences: string[] = [];
    for (const revision of Object.keys(expectedFailures)) {
      // Its exit code leaves out scenarios that it does not score.
      const { output } = await capture("npx", [
        ...["-y", SUITE, "server"],
        ...["--url", `${url}/mcp`, "--requirements", revision],
      ]);
      differences.push(...compareFailures(revision, output));
    }
    for (const [revision, failures] of Object.entries(expectedFailures))
      for (const [scenario, reason] of Object.entries(failures))
        console.log(`Expected in ${revision}: ${scenario}. ${reason}`);
    for (const difference of differences) console.error(difference);
    return differences.length === 0;
  } finally {
    await stop();
  }
}
