import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Files beside the packages that name the version. */
const OTHERS = [".claude-plugin/plugin.json"];

/** Requires that every package, the program and the tag have one version, and returns it. */
export function requireOneVersion(root: string, tag?: string): string {
  const files = [...globSync("packages/*/package.json", { cwd: root }), ...OTHERS];
  const named = files.map((file): [string, string] => [file, readVersion(join(root, file))]);
  const program = readFileSync(join(root, "packages/server/src/settings/version.ts"), "utf8");
  named.push(["PROGRAM_VERSION", /PROGRAM_VERSION = "([^"]+)"/.exec(program)?.[1] ?? ""]);
  if (tag !== undefined) named.push(["the tag", tag.replace(/^v/, "")]);
  const [version = ""] = [...named.map(([, each]) => each)];
  const other = named.find(([, each]) => each !== version);
  if (other) throw new Error(`${other[0]} has version ${other[1]}, and ${named[0]?.[0]} has ${version}.`);
  return version;
}

/** The section of the changelog about a version; before its release, the one about unreleased changes. */
export function findChanges(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  const find = (heading: string) => sections.find((each) => each.startsWith(`## ${heading}`));
  const section = find(version) ?? find("Unreleased");
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}.`);
  return section;
}

function readVersion(file: string): string {
  return JSON.parse(readFileSync(file, "utf8")).version;
}
