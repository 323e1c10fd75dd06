/** Generated documentation matches the code. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { errorRegistry, operations, READ_NAMES } from "@rungs/contract";
import type { Command } from "rungs/internal/command";
import { commands } from "rungs/internal/commands";
import { generatedPages } from "../../scripts/docs-pages.ts";
import { replaceTranscript, writeTranscript } from "../../scripts/docs-transcript.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

for (const [name, text] of Object.entries(await generatedPages())) {
  test(`docs/${name} matches the code; npm run docs writes it`, () => {
    assert.equal(read(`docs/${name}`), text);
  });
}

test("R18 R28 the README's transcript is the program's output on the sample data; npm run docs writes it", async () => {
  const readme = read("README.md");
  assert.equal(readme, replaceTranscript(readme, await writeTranscript()));
});

test("every command can be run and is documented", async () => {
  const files = globSync("packages/cli/src/commands/*.ts", { cwd: fileURLToPath(root) });
  const modules = files.filter((file) => basename(file) !== "index.ts");
  const exported = await Promise.all(
    modules.map(async (file) => Object.values(await import(`../../${file}`))),
  );
  const loaded = await Promise.all(commands.map(({ load }) => load()));
  const generated = [...READ_NAMES.filter((name) => name !== "read_blob"), "completion"];
  const unknown = loaded.filter((command) => !exported.flat().includes(command));
  assert.equal(unknown.length, generated.length);
  for (const command of exported.flat()) assert.ok(loaded.includes(command as Command));
  assert.equal(new Set(loaded).size, commands.length);
  const page = read("docs/cli.md");
  for (const { name, load } of commands) {
    const section = page.split(`## rungs ${name}\n`)[1]?.split("\n## ")[0] ?? "";
    for (const option of Object.keys((await load()).options ?? {})) {
      assert.ok(section.includes(`--${option}`), `${name} --${option}`);
    }
  }
});

test("every refusal and every operation is documented", () => {
  const [errors, calls] = [read("docs/errors.md"), read("docs/operations.md")];
  for (const code of Object.keys(errorRegistry)) assert.ok(errors.includes(`| \`${code}\` |`), code);
  for (const name of Object.keys(operations)) assert.ok(calls.includes(`## ${name}\n`), name);
});

test("every setting that the program reads from its environment is documented", () => {
  const sources = globSync("packages/*/src/**/*.ts", { cwd: fileURLToPath(root) });
  const programs = sources.filter((file) => !file.endsWith(".test.ts") && !file.includes("/suite/"));
  const names = programs.flatMap((file) => [...read(file).matchAll(/\benv\.([A-Z][A-Z_]+)/g)]);
  assert.ok(names.length > 5);
  const page = read("docs/operating.md");
  for (const [, name] of names) assert.ok(page.includes(`\`${name}\``), name);
});

test("every setting of the tests is documented", () => {
  const tests = globSync(["packages/*/src/**/*.ts", "tests/**/*.ts"], { cwd: fileURLToPath(root) });
  const names = tests.flatMap((file) => [...read(file).matchAll(/process\.env\.(RUNGS_[A-Z_]+)/g)]);
  const page = `${read("CONTRIBUTING.md")}${read("docs/operating.md")}`;
  for (const [, name] of names) assert.ok(page.includes(`\`${name}`), name);
});
