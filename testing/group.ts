/**
 * Runs several test files in one process: starting Node and loading the sources is most of the cost of a small file. Each
 * file is a suite, so that its hooks stay separate.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, test } from "node:test";

const FOLDER = join(import.meta.dirname, "../.tmp/groups");

/** Writes the file that runs a group, and returns its name. */
export function writeGroup(name: string, files: readonly string[]): string {
  const path = join(FOLDER, `${name}.mjs`);
  mkdirSync(FOLDER, { recursive: true });
  const group = JSON.stringify(relative(dirname(path), import.meta.filename));
  writeFileSync(path, `import { runFiles } from ${group};\nrunFiles(${JSON.stringify(files)});\n`);
  return path;
}

/** Whether a file runs a group. */
export function isGroup(file: string): boolean {
  return dirname(file) === FOLDER;
}

/**
 * Defines the tests of each file in a suite that is named for it.
 * @public for the files that `writeGroup` writes.
 */
export function runFiles(files: readonly string[]): void {
  for (const file of files) {
    describe(file, async () => {
      try {
        await import(join(process.cwd(), file));
      } catch (error) {
        // Node counts failed tests and not failed suites.
        test("loads", () => Promise.reject(error));
      }
    });
  }
}
