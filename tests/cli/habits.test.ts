/** What people expect of any command line: a version, help for everything, suggestions, completion. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** How to get completions from each shell, given a file with the script and the words of a line. */
const SHELLS: Readonly<Record<string, (file: string, words: readonly string[]) => string[]>> = {
  bash: (file, words) => ["-c", `source ${file}; ${callFunction(words)}`],
  // As bashcompinit calls it; zsh itself drops candidates that do not match the prefix.
  zsh: (file, words) => [
    ...["-f", "-c"],
    `autoload -U compinit && compinit -D -u; source ${file}; ask() { emulate -L sh; setopt kshglob noshglob braceexpand ksharrays; ${callFunction(words)}; }; ask | grep -- '^${words.at(-1)}'`,
  ],
  fish: (file, words) => [
    ...["--no-config", "-c"],
    `source ${file}; complete -C '${["rungs", ...words].join(" ")}' | string split -f1 \\t`,
  ],
};

function callFunction(words: readonly string[]): string {
  const list = ["rungs", ...words].map((word) => `'${word}'`).join(" ");
  return `COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _rungs; printf '%s\\n' "\${COMPREPLY[@]}"`;
}

for (const [shell, list] of Object.entries(SHELLS)) {
  test(`${shell} completes commands, their second words and their options, where it is installed`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "rungs-completion-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "script");
    writeFileSync(file, (await rungsHere(["completion", shell], {})).out);
    const complete = (...words: string[]) => {
      const run = spawnSync(shell, list(file, words), { encoding: "utf8", cwd: folder });
      if (run.error) return undefined;
      assert.equal(run.stderr, "");
      return run.stdout.trim().split("\n").sort().join(" ");
    };
    const found = complete("se");
    if (found === undefined) return t.skip(`${shell} is not installed`);
    assert.equal(found, "search serve service");
    assert.equal(complete("grant", "re"), "revoke");
    assert.equal(complete("search", "tea", "--lim"), "--limit");
  });
}

test("every shell gets a script with every command, and another name is refused", async () => {
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { code, out } = await rungsHere(["completion", shell], {});
    assert.equal(code, 0);
    for (const { name } of commands)
      assert.ok(out.includes(name.split(" ").at(-1) ?? ""), `${shell}: ${name}`);
  }
  assert.match((await rungsHere(["completion", "tcsh"], {})).err, /one of bash, zsh, fish, powershell/);
});
