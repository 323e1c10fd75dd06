/**
 * Runs the given test files, or all of them: `npm test`, `npm test -- FILE…`; with `--long`, in their
 * long forms; with `--oldest`, on the oldest Node that the package declares.
 */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildPackage } from "../scripts/package.ts";
import { writeGroup } from "./group.ts";
import { findOldestNode } from "./oldest-node.ts";
import { globalSetup, globalTeardown } from "./setup.ts";

const TIMEOUT_MS = 600_000;
const LONG_TIMEOUT_MS = 4 * 3_600_000;
const ROOT = join(import.meta.dirname, "..");

/** Files that share a process, the slowest groups first. Every other file gets its own process. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  store: ["packages/store/src/**/*.test.ts"],
  http: ["tests/http/*.test.ts"],
  mcp: ["tests/{mcp,mcp-clients,hosts,fuzz}/*.test.ts"],
  oauth: ["tests/{oauth,security}/*.test.ts"],
  importers: ["packages/importers/src/**/*.test.ts"],
  cli: ["tests/{cli,docs,scripts}/*.test.ts"],
  server: ["packages/{server,mcp,client,console,cli}/src/**/*.test.ts"],
  contract: ["packages/contract/src/**/*.test.ts"],
  evidence: ["packages/evidence/src/**/*.test.ts"],
  import: ["tests/import/{chats,cli,docs,documents,interrupt,mail,runner,upgrade}.test.ts"],
  soak: ["tests/soak/{curves,figures}.test.ts", "tests/bench/*.test.ts"],
};

/** Files that measure or change their process, or that take long enough for one. */
const ALONE: readonly string[] = [
  "packages/store/src/suite/differential.test.ts",
  "tests/http/authorization.test.ts",
  "tests/http/fuzz.test.ts",
];

const { values, positionals: named } = parseArgs({
  options: { long: { type: "boolean" }, oldest: { type: "boolean" } },
  allowPositionals: true,
});
const program = values.oldest ? findOldestNode() : process.execPath;
if (program === undefined)
  throw new Error("npm cannot install the oldest Node: name it in RUNGS_TEST_OLDEST_NODE.");
if (values.long) process.env.RUNGS_LONG = "1";
if (named.length > 0) process.env.RUNGS_TEST_NAMED = "1";
else process.env.RUNGS_TEST_PACKAGE = await buildProgram();
const files = named.length > 0 ? named : gatherFiles();
// Node 22 has no `--test-global-setup`.
await globalSetup();
const runner = spawn(
  program,
  [
    "--conditions=rungs-source",
    "--import=./testing/untracked-promises.ts",
    "--test",
    "--test-concurrency=2",
    `--test-timeout=${values.long ? LONG_TIMEOUT_MS : TIMEOUT_MS}`,
    "--test-reporter=./testing/reporter.ts",
    ...files,
  ],
  { cwd: ROOT, stdio: "inherit" },
);
runner.on("exit", async (code) => {
  process.exitCode = code ?? 1;
  await globalTeardown();
});

/** Builds the package that tests start as a process, and returns its folder. */
async function buildProgram(): Promise<string> {
  const folder = join(ROOT, ".tmp/package");
  await buildPackage(folder);
  return folder;
}

/** Every test file, alone or in its group; slow files start first. */
function gatherFiles(): string[] {
  const every = globSync(["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"], { cwd: ROOT }).sort();
  const alone = globSync(ALONE, { cwd: ROOT });
  const grouped = new Set<string>();
  const groups = Object.entries(GROUPS).map(([name, globs]) => {
    const members = globSync(globs, { cwd: ROOT, exclude: alone }).sort();
    for (const file of members) grouped.add(file);
    return writeGroup(name, members);
  });
  return [...alone, ...groups, ...every.filter((file) => !grouped.has(file) && !alone.includes(file))];
}
