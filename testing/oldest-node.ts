/** The oldest Node that the package declares, for tests: from `RUNGS_TEST_OLDEST_NODE`, or installed from npm once. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/** The version, with a patch: `engines` says the least minor version. */
export function readOldestVersion(): string {
  const { engines } = JSON.parse(readFileSync(join(ROOT, "packages/cli/package.json"), "utf8"));
  return `${engines.node.replace(">=", "")}.0`;
}

/** Returns the program's path; undefined if npm cannot download it, as on a machine without a network. */
export function findOldestNode(): string | undefined {
  const named = process.env.RUNGS_TEST_OLDEST_NODE;
  if (named !== undefined) return named;
  const version = readOldestVersion();
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = join(ROOT, "node_modules/.cache", `rungs-node-${version}`);
  const program = join(folder, "node_modules", name, platform === "win" ? "bin/node.exe" : "bin/node");
  if (!existsSync(program)) install(folder, `${name}@${version}`);
  return existsSync(program) ? program : undefined;
}

function install(folder: string, named: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  try {
    execFileSync(
      "npm",
      ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", named],
      {
        cwd: folder,
        stdio: "ignore",
        shell: process.platform === "win32",
      },
    );
  } catch {
    // The caller reports that it is missing.
  }
}
