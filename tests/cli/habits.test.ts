/** What people expect of any command line: a version, help for everything, suggestions, completion. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { commands } from "rungs/internal/commands";
import { rungsHere } from "../../testing/cli/in-process.ts";

const { version } = JSON.parse(
  readFileSync(new URL("../../packages/cli/package.json", import.meta.url), "utf8"),
);

test("--version, -v and version print the version", async () => {
  for (const word of ["--version", "-v", "version"])
    assert.deepEqual(await rungsHere([word], {}), { code: 0, out: version, err: "" });
});

test("help lists every command, explains each, and lists those of a group", async () => {
  const { out } = await rungsHere(["--help"], {});
  for (const { name } of commands) {
    assert.ok(out.includes(`\n  ${name}`), name);
    const [asked, flagged] = [
      await rungsHere(["help", ...name.split(" ")], {}),
      await rungsHere([...name.split(" "), "--help"], {}),
    ];
    assert.deepEqual(asked, flagged);
    assert.match(asked.out, new RegExp(`Usage: rungs ${name}`));
  }
  for (const argv of [["grant"], ["grant", "--help"], ["help", "grant"]]) {
    const group = await rungsHere(argv, {});
    assert.equal(group.code, 0);
    assert.match(group.out, /grant create.*grant revoke/s);
    assert.doesNotMatch(group.out, /token list/);
  }
});

test("an unknown command suggests the one that may be meant", async () => {
  const cases: [string[], string][] = [
    [["serch", "tea"], "There is no command serch tea; did you mean rungs search?"],
    [["grant", "creat"], "There is no command grant creat; did you mean rungs grant create?"],
    [["tokn", "list"], "There is no command tokn list; did you mean rungs token list?"],
    [["frobnicate"], "There is no command frobnicate; rungs --help lists them."],
  ];
  for (const [argv, sentence] of cases)
    assert.deepEqual(await rungsHere(argv, {}), { code: 2, out: "", err: `rungs: ${sentence}` });
});

test("bash completes commands, their second words and their options", async () => {
  const { out } = await rungsHere(["completion", "bash"], {});
  const complete = (...words: string[]) => {
    const list = ["rungs", ...words].map((word) => `'${word}'`).join(" ");
    const script = `${out}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length}; _rungs; echo "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout.trim();
  };
  assert.equal(complete("se"), "serve service search");
  assert.equal(complete("grant", "re"), "revoke");
  assert.equal(complete("search", "tea", "--lim"), "--limit");
});

test("every shell gets a script with every command, and another name is refused", async () => {
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { code, out } = await rungsHere(["completion", shell], {});
    assert.equal(code, 0);
    for (const { name } of commands)
      assert.ok(out.includes(name.split(" ").at(-1) ?? ""), `${shell}: ${name}`);
  }
  assert.match((await rungsHere(["completion", "tcsh"], {})).err, /one of bash, zsh, fish, powershell/);
});
