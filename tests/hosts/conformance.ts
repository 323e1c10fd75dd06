/** The protocol's own conformance suite against the real HTTP stack, for both revisions that matter. */
import { fileURLToPath } from "node:url";
import { addFixtures } from "./fixtures/index.ts";
import { run } from "./run.ts";
import { serveWithFixtures } from "./served.ts";

const SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
/** Each revision, and what is expected to fail there, with the reason. */
const REVISIONS = {
  "2026-07-28": [],
  "2025-11-25": [
    "--expected-failures",
    fileURLToPath(new URL("expected-failures-2025-11-25.yaml", import.meta.url)),
  ],
};

/** Runs the suite; false when something failed that is not expected to. */
export async function runConformance(): Promise<boolean> {
  const { url, stop } = await serveWithFixtures(addFixtures);
  try {
    const outcomes: number[] = [];
    for (const [revision, expected] of Object.entries(REVISIONS)) {
      const args = ["server", "--url", `${url}/mcp`, "--requirements", revision, ...expected];
      outcomes.push(await run("npx", ["-y", SUITE, ...args]));
    }
    return outcomes.every((code) => code === 0);
  } finally {
    await stop();
  }
}
