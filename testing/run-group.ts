import { join } from "node:path";
import { describe, test } from "node:test";
import { stopTracking } from "./untracked-promises.ts";

/**
 * Defines the tests of each file in a suite that is named for it.
 * @public for the files that `writeGroup` writes.
 */
export function runGroup(files: readonly string[]): void {
  let loading = files.length;
  for (const file of files) {
    describe(file, async () => {
      try {
        await import(join(process.cwd(), file));
      } catch (error) {
        // Node counts failed tests, not failed suites.
        test("loads", () => Promise.reject(error));
      }
      loading -= 1;
      if (loading === 0) stopTracking();
    });
  }
}
