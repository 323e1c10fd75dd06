/**
 * `npm run workflow -- release build [--skip TEXT]…`: runs the steps of a job of a workflow in a clean clone of this
 * commit, without the runner of GitHub. Steps of actions, and those that publish or need Docker, are listed and left out.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "..");
/** Programs with external effects, or that not every machine has. */
const OUTSIDE = /^(?:docker|gh|npm publish|test "\$\(docker)/;

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { skip: { type: "string", multiple: true, default: [] } },
});
const [workflow = "test", job = "check"] = positionals;
const { jobs } = parse(readFileSync(join(ROOT, `.github/workflows/${workflow}.yml`), "utf8"));
const steps: readonly Step[] | undefined = jobs[job]?.steps;
if (!steps) throw new Error(`${workflow}.yml has no job ${job}; it has ${Object.keys(jobs).join(", ")}.`);

const folder = mkdtempSync(join(tmpdir(), "rungs-workflow-"));
try {
  execFileSync("git", ["clone", "--quiet", ROOT, folder]);
  for (const { uses, run } of steps) {
    if (run === undefined) console.log(`- left out: ${uses}`);
    else if (OUTSIDE.test(run) || values.skip.some((text) => run.includes(text)))
      console.log(`- left out: ${run}`);
    else runStep(run);
  }
} finally {
  rmSync(folder, { recursive: true });
}

function runStep(run: string): void {
  console.log(`- ${run}`);
  const { version } = JSON.parse(readFileSync(join(folder, "packages/cli/package.json"), "utf8"));
  const env = { ...process.env, GITHUB_REPOSITORY: "OWNER/rungs", GITHUB_REF_NAME: `v${version}` };
  const { status } = spawnSync("bash", ["-eo", "pipefail", "-c", run], {
    cwd: folder,
    env,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`This step failed with exit code ${status}: ${run}`);
}
