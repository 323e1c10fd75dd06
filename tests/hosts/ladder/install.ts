/**
 * Installs hosts from npm into a cache beside the packages: they take hundreds of megabytes and are not our
 * dependencies.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Host } from "../hosts.ts";
import { capture } from "../run.ts";

const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/rungs-hosts", import.meta.url));

/** Installs the version of the table unless it is there; returns the folder of its program. */
export async function installHost({ package: name, version, program }: Host): Promise<string> {
  const folder = join(CACHE, `${name.replaceAll("/", "+")}@${version}`);
  const bin = join(folder, "node_modules", ".bin");
  if (!existsSync(join(bin, program))) {
    mkdirSync(folder, { recursive: true });
    const flags = ["--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error"];
    const { code } = await capture("npm", ["install", ...flags, `${name}@${version}`]);
    if (code !== 0) throw new Error(`npm could not install ${name}@${version}: exit ${code}.`);
  }
  return bin;
}
