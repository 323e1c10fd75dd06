/**
 * Fails when an exported name is defined twice in the packages' source (one word, one meaning), or when a page of the
 * documentation names a missing file.
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const EXPORT = /^export (?:async )?(?:function\*?|const|class|interface|type|enum) ([A-Za-z0-9_]+)/gm;
/** A path in backticks, except patterns (`…`, `<name>`). */
const QUOTED_PATH = /`([A-Za-z.][\w.-]*(?:\/[\w.*{},-]*)+)`/g;

/** A word in capitals means any name, as in `src/FORMAT/FORMAT.ts`. */
const PLACEHOLDER = /(?<=\/)[A-Z]+(?=\/|\.ts$)/g;

/** Lists the exported names that more than one of these files defines, each with its files. */
export function findNamesDefinedTwice(texts: ReadonlyMap<string, string>): string[] {
  const files = new Map<string, Set<string>>();
  for (const [file, text] of texts) {
    for (const [, name = ""] of text.matchAll(EXPORT)) {
      files.set(name, (files.get(name) ?? new Set()).add(file));
    }
  }
  return [...files]
    .filter(([, found]) => found.size > 1)
    .map(([name, found]) => `${name} is exported by ${[...found].join(" and ")}`)
    .sort();
}

/** Lists the paths of this repository that a page names in backticks and that `isThere` does not find. */
export function findStalePaths(page: string, isThere: (path: string) => boolean): string[] {
  return [...page.matchAll(QUOTED_PATH)]
    .flatMap(([, path = ""]) => toRepositoryPath(path) ?? [])
    .filter((path) => !isThere(path.replace(PLACEHOLDER, "*")));
}

/** A path from the root; pages write `store/src/…` for `packages/store/src/…`. Undefined for other text with a slash. */
function toRepositoryPath(path: string): string | undefined {
  if (/^(?:packages|docs|tests|testing|bench|soak|scripts|examples|\.ci)\//.test(path)) return path;
  return /^[a-z]+\/src(?:\/|$)/.test(path) ? `packages/${path}` : undefined;
}

if (import.meta.main) {
  const listed = (...patterns: string[]) =>
    execFileSync("git", ["ls-files", ...patterns], { cwd: ROOT, encoding: "utf8" })
      .split("\n")
      .filter((file) => file !== "" && existsSync(join(ROOT, file)));
  const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
  const sources = listed("packages/*/src/*.ts").filter((file) => !/\.test\.ts$|\/suite\//.test(file));
  // The changelog names files as they were called then.
  const pages = listed("*.md").filter((file) => file !== "CHANGELOG.md");
  const problems = [
    ...findNamesDefinedTwice(new Map(sources.map((file) => [file, read(file)]))),
    ...pages.flatMap((file) =>
      findStalePaths(read(file), (path) => globSync(path, { cwd: ROOT }).length > 0).map(
        (path) => `${file} names ${path}, which is gone`,
      ),
    ),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
