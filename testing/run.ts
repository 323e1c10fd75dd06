/** Runs the given test files, or all of them: `npm test`, `npm test -- FILE…`. */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { writeGroup } from "./group.ts";
import { globalSetup, globalTeardown } from "./setup.ts";

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

const named = process.argv.slice(2);
const files = named.length > 0 ? named : gatherFiles();
// Node 22 has no `--test-global-setup`.
await globalSetup();
const runner = spawn(
  process.execPath,
  [
    "--conditions=rungs-source",
    "--import=./testing/untracked-promises.ts",
    "--test",
    "--test-concurrency=2",
    "--test-timeout=600000",
    "--test-reporter=./testing/reporter.ts",
    ...files,
  ],
  { cwd: ROOT, stdio: "inherit" },
);
runner.on("exit", async (code) => {
  process.exitCode = code ?? 1;
  await globalTeardown();
});

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
