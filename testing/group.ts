/**
 * Runs several test files in one process: starting Node and loading the sources is most of the cost of a small file. Each
 * file is a suite, so that its hooks stay separate.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const FOLDER = join(import.meta.dirname, "../.tmp/groups");

/** Writes the file that runs a group, and returns its name. */
export function writeGroup(name: string, files: readonly string[]): string {
  const path = join(FOLDER, `${name}.mjs`);
  mkdirSync(FOLDER, { recursive: true });
  const runner = JSON.stringify(relative(FOLDER, join(import.meta.dirname, "run-group.ts")));
  writeFileSync(path, `import { runGroup } from ${runner};\nrunGroup(${JSON.stringify(files)});\n`);
  return path;
}

/** Whether a file runs a group. */
export function isGroup(file: string): boolean {
  return dirname(file) === FOLDER;
}
