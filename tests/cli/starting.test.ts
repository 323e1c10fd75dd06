/** The program starts as hosts start it: with an old Node, in the wrong home, from the configuration that it prints. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PROGRAM_VERSION } from "@rungs/server";
import { pretendVersion } from "../../testing/cli/program.ts";

const BIN = fileURLToPath(new URL("../../packages/cli/bin/rungs.js", import.meta.url));

function run(argv: readonly string[], env: Record<string, string> = {}) {
  const { PATH = "" } = process.env;
  return spawnSync(process.execPath, argv, { encoding: "utf8", env: { PATH, ...env } });
}

test("an old Node starts the checkout's Node", () => {
  const { stdout, stderr, status } = run([...pretendVersion("20.1.0"), BIN, "--version"]);
  assert.deepEqual([stdout.trim().split(" ").at(-1), stderr, status], [PROGRAM_VERSION, "", 0]);
});

test("a read command says where it found no database, and creates none", (t) => {
  const home = mkdtempSync(join(tmpdir(), "rungs-home-"));
  t.after(() => rmSync(home, { recursive: true }));
  const owners = [
    ["connections"],
    ["audit"],
    ["imports"],
    ["grant", "list"],
    ["token", "list"],
    ["never", "list"],
  ];
  for (const argv of [["mcp"], ["schema"], ["search", "tea"], ...owners]) {
    const { stderr, status } = run([BIN, ...argv, "--home", join(home, "none")], { RUNGS_TOKEN: "x" });
    assert.ok(status !== 0 && stderr.includes(join(home, "none", "rungs.db")), stderr);
    assert.match(stderr, /--home or RUNGS_HOME/);
  }
  assert.deepEqual(readdirSync(home), []);
});

test("a token of another home is refused, and the message names the home that was searched", (t) => {
  const home = mkdtempSync(join(tmpdir(), "rungs-home-"));
  t.after(() => rmSync(home, { recursive: true }));
  assert.equal(run([BIN, "login-link", "--home", home]).status, 0);
  assert.ok(existsSync(join(home, "rungs.db")));
  const { stderr, status } = run([BIN, "mcp", "--home", home], { RUNGS_TOKEN: "x" });
  assert.deepEqual([status, stderr.includes(join(home, "rungs.db"))], [3, true], stderr);
});

test("the printed configuration starts this program, in the form of each host", () => {
  const { stdout } = run([BIN, "mcp", "--config", "--home", "/a home", "--json"]);
  const { hosts } = JSON.parse(stdout) as { hosts: { host: string; text: string }[] };
  const textOf = (host: string) => hosts.find((each) => each.host === host)?.text ?? "";
  const usual = JSON.parse(textOf("Claude Desktop")).mcpServers.rungs;
  const argv = [BIN, "mcp", "--home", "/a home"];
  assert.deepEqual(usual.args, argv);
  assert.deepEqual(usual.env, { RUNGS_TOKEN: "YOUR-TOKEN" });
  assert.ok(run([usual.args[0], "--version"]).status === 0 && existsSync(usual.command));
  assert.deepEqual(JSON.parse(textOf("opencode")).mcp.rungs.command, [usual.command, ...argv]);
  assert.ok(
    textOf("Codex").includes(`command = ${JSON.stringify(usual.command)}\nargs = ${JSON.stringify(argv)}`),
  );
  assert.ok(textOf("Claude Code").endsWith(`mcp --home '/a home'`));
  assert.match(textOf("Claude Code"), /^claude mcp add rungs --env /, "--env takes every word up to a flag");
  assert.deepEqual(JSON.parse(textOf("Copilot CLI")).mcpServers.rungs.tools, ["*"]);
});
