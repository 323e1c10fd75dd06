/** The program as people install it: built, packed, and installed into an empty folder. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildPackage } from "../../scripts/package.ts";
import type { Env, Ran } from "./program.ts";

/** An installed package. */
export interface Installed {
  /** The folder of the package. */
  readonly folder: string;
  /** What npm says about the tarball. */
  readonly packed: {
    readonly size: number;
    readonly unpackedSize: number;
    readonly files: readonly { readonly path: string }[];
  };
  /** How many packages npm installed. */
  readonly package_count: number;
}

const NPM = { shell: process.platform === "win32", encoding: "utf8" } as const;

/** Builds, packs and installs the package below a folder. */
export async function installPackage(below: string): Promise<Installed> {
  await buildPackage(join(below, "build"));
  const packing = execFileSync("npm", ["pack", "./build", "--json", "--silent"], { cwd: below, ...NPM });
  const [packed] = JSON.parse(packing);
  const target = join(below, "installed");
  mkdirSync(target);
  writeFileSync(join(target, "package.json"), "{}");
  const flags = ["--offline", "--no-audit", "--no-fund", "--silent"];
  execFileSync("npm", ["install", ...flags, join(below, packed.filename)], { cwd: target, ...NPM });
  const packages = readdirSync(join(target, "node_modules")).filter((name) => !name.startsWith("."));
  return {
    folder: join(target, "node_modules", "rungs"),
    packed,
    package_count: packages.length,
  };
}

/** Starts the installed program on a version of Node, as its link in `.bin` does. */
export function startInstalled({ folder }: Installed, node: string, argv: readonly string[], env: Env) {
  return spawn(node, [join(folder, "bin", "rungs.js"), ...argv], { env: { PATH: "", ...env } });
}

/** Runs a command line of the installed program to its end. */
export async function runInstalled(
  installed: Installed,
  node: string,
  argv: readonly string[],
  env: Env,
): Promise<Ran> {
  const program = startInstalled(installed, node, argv, env);
  let [out, err] = ["", ""];
  program.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    out += chunk;
  });
  program.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    err += chunk;
  });
  const code = await new Promise<number>((resolve) => program.on("close", (status) => resolve(status ?? -1)));
  return { code, out, err };
}
