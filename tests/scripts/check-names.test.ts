import assert from "node:assert/strict";
import { test } from "node:test";
import { findNamesDefinedTwice, findStalePaths } from "../../scripts/check-names.ts";

test("reports an exported name that two files define, with both files", () => {
  const texts = new Map([
    ["packages/a/src/one.ts", "export interface Page {}\nexport const size = 1;\nconst local = 1;\n"],
    [
      "packages/b/src/two.ts",
      "export type Page = string;\nexport async function read() {}\nconst local = 2;\n",
    ],
    ["packages/b/src/index.ts", 'export { read, type Page } from "./two.ts";\n'],
  ]);
  assert.deepEqual(findNamesDefinedTwice(texts), [
    "Page is exported by packages/a/src/one.ts and packages/b/src/two.ts",
  ]);
});

test("overloads of one function are one definition", () => {
  const text = "export function read(a: string): string;\nexport function read(a: number): number;\n";
  assert.deepEqual(findNamesDefinedTwice(new Map([["packages/a/src/one.ts", text]])), []);
});

test("reports a page that names a missing file or folder", () => {
  const there = new Set(["docs/errors.md", "packages/store/src/store.ts", "packages/importers/src/*/*.ts"]);
  const page = [
    "See `docs/errors.md`, `store/src/store.ts` and `store/src/gone.ts`.",
    "`importers/src/FORMAT/FORMAT.ts` is any format.",
    "`packages/gone/src/a.ts` and `tests/gone/` are not there; `text/plain` and `resources/read` are not paths.",
  ].join("\n");
  assert.deepEqual(
    findStalePaths(page, (path) => there.has(path)),
    ["packages/store/src/gone.ts", "packages/gone/src/a.ts", "tests/gone/"],
  );
});
