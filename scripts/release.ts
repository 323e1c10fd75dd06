/**
 * `npm run release [-- --tag vX.Y.Z]`: builds everything that a release publishes, into dist/release: the npm tarball, the
 * bundle for Claude Desktop, the bill of materials, the entry of the MCP registry, and the notes. Publishes nothing.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildPackage } from "./package.ts";
import { createBundleManifest, createServerEntry } from "./release-manifests.ts";
import { findChanges, requireOneVersion } from "./release-version.ts";

const ROOT = join(import.meta.dirname, "..");
const OUT = join(ROOT, "dist/release");
/** Pinned: it builds what people install. */
const MCPB = "@anthropic-ai/mcpb@2.1.2";

const { values } = parseArgs({ options: { tag: { type: "string" } } });
const version = requireOneVersion(ROOT, values.tag);
const { description, engines } = readJson("packages/cli/package.json");
const facts = { version, description, slug: process.env.GITHUB_REPOSITORY ?? "OWNER/rungs" };

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const npm = join(ROOT, "dist/npm");
await buildPackage(npm);
run("npm", "pack", npm, "--pack-destination", OUT, "--silent");
copyFileSync(join(npm, "sbom.cdx.json"), join(OUT, "sbom.cdx.json"));
write("server.json", createServerEntry(facts));
writeFileSync(join(OUT, "notes.md"), findChanges(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version));

const bundle = join(ROOT, "dist/mcpb");
rmSync(bundle, { recursive: true, force: true });
cpSync(npm, join(bundle, "server"), { recursive: true });
writeFileSync(
  join(bundle, "manifest.json"),
  `${JSON.stringify(createBundleManifest(facts, engines.node), null, 2)}\n`,
);
run("npx", "--yes", MCPB, "validate", join(bundle, "manifest.json"));
run("npx", "--yes", MCPB, "pack", bundle, join(OUT, `rungs-${version}.mcpb`));
console.log(`dist/release: version ${version}`);

function readJson(file: string) {
  return JSON.parse(readFileSync(join(ROOT, file), "utf8"));
}

function write(file: string, value: object): void {
  writeFileSync(join(OUT, file), `${JSON.stringify(value, null, 2)}\n`);
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
}
