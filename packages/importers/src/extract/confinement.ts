/** Confines the reading process with Node's permission model: it may load its packages, and nothing else. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The packages whose code the process loads from outside the folders of dependencies, in a checkout. */
const OWN_PACKAGES = ["@rungs/contract", "@rungs/evidence"];

/** The flags that confine the process: it may read packages and `files`, and start the thread that watches its memory. */
export function listConfinement(script: URL, files: readonly string[] = []): string[] {
  const folders = [...listPackageFolders(script), ...files];
  return ["--permission", "--allow-worker", ...folders.map((folder) => `--allow-fs-read=${folder}`)];
}

/** The environment of the process: empty, except where the system cannot start a program without it. */
export function createEnvironment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return process.platform === "win32" && SystemRoot !== undefined ? { SystemRoot } : {};
}

/**
 * The folders of the script's package, of its dependencies, and of the packages that are linked from there. The published
 * package is bundled: its own folder has everything.
 */
function listPackageFolders(script: URL): string[] {
  const packages = [script.href, import.meta.url, ...OWN_PACKAGES.flatMap(resolvePackage)].map((url) =>
    findPackage(realpathSync(fileURLToPath(url))),
  );
  const isBundled = new Set(packages).size === 1;
  const dependencies = isBundled ? [] : packages.flatMap(listDependencyFolders);
  return [...new Set([...packages, ...dependencies])].map((folder) => join(folder, "*"));
}

function resolvePackage(name: string): string[] {
  try {
    return [import.meta.resolve(name)];
  } catch {
    return [];
  }
}

function findPackage(file: string): string {
  const folder = dirname(file);
  return existsSync(join(folder, "package.json")) || dirname(folder) === folder
    ? folder
    : findPackage(folder);
}

/** The `node_modules` that a package is in, and those beside and above it. */
function listDependencyFolders(folder: string): string[] {
  const found = folder.endsWith("node_modules") ? folder : join(folder, "node_modules");
  const above = dirname(folder) === folder ? [] : listDependencyFolders(dirname(folder));
  return existsSync(found) ? [found, ...above] : above;
}
