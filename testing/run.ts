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

/** Tests make much garbage: with the usual 16 MB for young objects, collecting takes some percent more of the CPU time. */
const GROUP_OPTIONS = ["--max-semi-space-size=64"];

/** More than the cores of a small machine, since many tests wait for another process. */
const PROCESSES = 3;

/**
 * Files that share a process, the slowest groups first. A file that is named here, instead of matched, is in no other
 * group: it is slow, or it measures or changes its process. Files in no group each get a separate process, last.
 */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  cluster: ["tests/cluster/*.test.ts"],
  store: ["packages/store/src/**/*.test.ts"],
  console: ["tests/console/*.test.ts"],
  mcp: ["tests/{mcp,mcp-clients,hosts,fuzz}/*.test.ts"],
  differential: ["packages/store/src/suite/differential.test.ts"],
  importers: ["packages/importers/src/**/*.test.ts"],
  sync: ["tests/sync/*.test.ts", "packages/sources/src/**/*.test.ts"],
  cli: ["tests/{cli,docs,scripts}/*.test.ts"],
  oauth: ["tests/{oauth,security}/*.test.ts"],
  authorization: ["tests/http/authorization.test.ts"],
  package: ["tests/package/*.test.ts"],
  http: ["tests/{http,protocol}/*.test.ts"],
  import: ["tests/import/*.test.ts"],
  soak: ["tests/{soak,bench}/*.test.ts"],
  server: ["packages/{server,mcp,client,console,cli}/src/**/*.test.ts"],
  fuzz: ["tests/http/fuzz.test.ts"],
  memory: ["tests/import/memory.test.ts"],
  contract: ["packages/contract/src/**/*.test.ts"],
  evidence: ["packages/evidence/src/**/*.test.ts"],
};

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
    ...(named.length > 0 ? [] : GROUP_OPTIONS),
    "--import=./testing/untracked-promises.ts",
    "--test",
    `--test-concurrency=${PROCESSES}`,
    `--test-timeout=${values.long ? LONG_TIMEOUT_MS : TIMEOUT_MS}`,
    "--test-reporter=./testing/reporter.ts",
    ...files,
  ],
  { cwd: ROOT, stdio: "inherit" },
);
// What the run has started and made goes with it when it is interrupted, too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => runner.kill(signal));
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

/** Every test file, alone or in its group. */
function gatherFiles(): string[] {
  const alone = new Set(globSync(["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"], { cwd: ROOT }));
  const named = new Set(Object.values(GROUPS).flat());
  const groups = Object.entries(GROUPS).map(([name, globs], at) => {
    const members = globSync(globs, { cwd: ROOT }).filter((file) => globs.includes(file) || !named.has(file));
    for (const file of members) alone.delete(file);
    // Node starts files in alphabetical order.
    return writeGroup(`${String(at).padStart(2, "0")}-${name}`, members.sort());
  });
  return [...groups, ...alone];
}
