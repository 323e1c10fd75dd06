/**
 * `npm run package`: builds the published package in dist/npm, one bundle without dependencies. `npm pack ./dist/npm` and
 * `npm publish ./dist/npm` take it from there.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleProgram } from "./package-bundle.ts";
import { type BundledPackage, readBundledPackages, renderNotices } from "./package-notices.ts";
import { createSbom } from "./supply-chain-sbom.ts";

const ROOT = join(import.meta.dirname, "..");
/** Copied into the package: from the repository, to the package. Files refer to assets two folders above them. */
const COPIES = {
  "README.md": "README.md",
  "CHANGELOG.md": "CHANGELOG.md",
  LICENSE: "LICENSE",
  "packages/cli/bin": "bin",
  "packages/store/assets": "assets",
  "packages/importers/assets": "assets",
  "packages/mcp/assets": "assets",
};

/** Builds the package in a folder; returns the packages that it contains. */
export async function buildPackage(target: string): Promise<BundledPackage[]> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const packages = readBundledPackages(await bundleProgram(join(target, "dist/bundle")));
  for (const [from, to] of Object.entries(COPIES))
    cpSync(join(ROOT, from), join(target, to), { recursive: true });
  const write = (file: string, text: string) => writeFileSync(join(target, file), text);
  write("package.json", `${JSON.stringify(createManifest(), null, 2)}\n`);
  write("THIRD-PARTY-NOTICES.txt", renderNotices(packages));
  const names = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  write("sbom.cdx.json", `${JSON.stringify(createSbom({ with_tools: false, only: names }), null, 1)}\n`);
  return packages;
}

/** The published package.json: without dependencies, and with the repository's address where it is published from. */
function createManifest(): Record<string, unknown> {
  const { name, version, description, license, type, engines, keywords, bin } = JSON.parse(
    readFileSync(join(ROOT, "packages/cli/package.json"), "utf8"),
  );
  const slug = process.env.GITHUB_REPOSITORY;
  const origin = slug && {
    repository: { type: "git", url: `git+https://github.com/${slug}.git` },
    homepage: `https://github.com/${slug}#readme`,
    bugs: `https://github.com/${slug}/issues`,
    // The MCP registry checks that the package names its entry.
    mcpName: `io.github.${slug}`,
  };
  return { name, version, description, license, type, engines, keywords, ...(origin || {}), bin };
}

if (import.meta.main) {
  const target = join(ROOT, "dist/npm");
  const packages = await buildPackage(target);
  console.log(`dist/npm: ${packages.length} packages bundled`);
}
