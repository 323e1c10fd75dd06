/** The protocol's own conformance suite against the real HTTP stack, for both revisions that matter. */
import { compareFailures, expectedFailures } from "./expected-failures.ts";
import { addFixtures } from "./fixtures/index.ts";
import { capture } from "./run.ts";
import { serveWithFixtures } from "./served.ts";

const SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";

/**
 * Runs the suite; false if a scenario without an entry in `expected-failures.ts` fails, or one with an entry passes.
 */
export async function runConformance(): Promise<boolean> {
  const { url, stop } = await serveWithFixtures(addFixtures);
  try {
    const differences: string[] = [];
    for (const revision of Object.keys(expectedFailures)) {
      // Its exit code ignores scenarios that it does not score.
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
