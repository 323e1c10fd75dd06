/** Links resolve, and copied lines work. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { globalOptions } from "rungs/internal/command";
import { commands } from "rungs/internal/commands";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root });
const read = (page: string) => readFileSync(join(root, page), "utf8");

test("every link within the documentation leads somewhere", () => {
  assert.ok(pages.length > 12);
  for (const page of pages) {
    for (const [, target = ""] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      assert.ok(existsSync(join(root, file)), `${page}: ${target}`);
      if (anchor !== undefined) assert.ok(anchorsOf(read(file)).includes(anchor), `${page}: ${target}`);
    }
  }
});

test("every page of docs/ can be reached from its index", () => {
  const reached = new Set(["docs/README.md"]);
  for (const page of reached) {
    for (const [, target = ""] of read(page).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
      const file = join(dirname(page), target);
      if (file.startsWith("docs/") && existsSync(join(root, file))) reached.add(file);
    }
  }
  assert.deepEqual(
    pages.filter((page) => page.startsWith("docs/") && !reached.has(page)),
    [],
  );
});

test("every command line in the documentation parses", async () => {
  let count = 0;
  for (const page of pages) {
    for (const [line] of read(page).matchAll(/(?<![\w/@."-])rungs [a-z][^`\n;:]*/g)) {
      const words = line.split(/\s+/).slice(1);
      const found = commands
        .filter(({ name }) => name.split(" ").every((word, at) => words[at] === word))
        .sort((a, b) => b.name.length - a.name.length)[0];
      const flags = words.flatMap((word) => /^--([a-z][a-z-]*)/.exec(word)?.[1] ?? []);
      if (!found) {
        assert.deepEqual(flags, [], `${page}: ${line}`);
        continue;
      }
      const { options = {} } = await found.load();
      for (const flag of flags) assert.ok({ ...options, ...globalOptions }[flag], `${page}: ${line}`);
      count += 1;
    }
  }
  assert.ok(count > 40, `${count} command lines`);
});

function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
