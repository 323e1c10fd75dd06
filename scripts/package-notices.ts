import { globSync, readFileSync } from "node:fs";
import { basename, join, sep } from "node:path";

/** A bundled package. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The text of its licence, and of its notices. */
  readonly text: string;
}

/** Reads the packages that these files belong to, by name. Each must say what its licence is. */
export function readBundledPackages(files: readonly string[]): BundledPackage[] {
  const folders = new Set(files.map(findPackageFolder));
  const packages = [...folders].map(readPackage);
  return packages.sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** Renders the notices that the licences of bundled packages ask for. */
export function renderNotices(packages: readonly BundledPackage[]): string {
  const parts = packages.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text.trim()}\n`,
  );
  return ["This package contains the following packages.\n", ...parts].join(`\n${"-".repeat(80)}\n\n`);
}

const FOLDER = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;

function findPackageFolder(file: string): string {
  const folder = FOLDER.exec(file)?.[0];
  if (folder === undefined) throw new Error(`${file} is in no package.`);
  return folder;
}

function readPackage(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${folder.split(sep).pop()} does not name its licence.`);
  const files = globSync("*", { cwd: folder }).filter((file) =>
    /^(?:licen[cs]e|notice|copying)/i.test(basename(file)),
  );
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8"));
  return {
    name,
    version,
    license,
    text: texts.join("\n\n") || `Its package has no text of the licence ${license}.`,
  };
}
