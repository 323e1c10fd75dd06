/** Start-up is fast because little is loaded: assert which files are loaded, since times vary. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { createNotesHome } from "../../testing/cli/notes-home.ts";
import { type Env, SOURCE } from "../../testing/cli/program.ts";

const REPORT = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({
    load(url, context, next) {
      process._rawDebug("loaded " + url);
      return next(url, context);
    },
  });
`)}`;

/** Lists the files that a command line loads. */
function loadedBy(argv: readonly string[], env: Env = {}): string[] {
  const { stderr, status } = spawnSync(
    process.execPath,
    ["--conditions=rungs-source", "--import", REPORT, SOURCE, ...argv],
    { encoding: "utf8", env, input: "" },
  );
  assert.equal(status, 0, stderr);
  return stderr.split("\n").filter((line) => line.startsWith("loaded "));
}

test("help loads no command and nothing of other packages", () => {
  const loaded = loadedBy(["--help"]);
  assert.ok(loaded.length > 4);
  for (const line of loaded)
    assert.doesNotMatch(line, /node_modules|commands\/(?!index|entries)|packages\/(?!cli)/);
});

test("a command loads no other command, and no engine before it opens a database", () => {
  const loaded = loadedBy(["backup", "--help"]);
  const commands = loaded.filter((line) => /\/commands\/(?!index|entries)/.test(line));
  assert.deepEqual(commands.length, 1, commands.join());
  for (const line of loaded)
    assert.doesNotMatch(line, /node_modules\/pg\/|store\/src\/(?:sqlite|postgres)\//);
});

test("mcp over the local database loads neither Node's network modules nor the authorization server", async (t) => {
  const home = await createNotesHome();
  t.after(() => home.remove());
  const loaded = loadedBy(["mcp"], home.env);
  assert.ok(loaded.some((line) => line.endsWith("node:sqlite")));
  for (const line of loaded)
    assert.doesNotMatch(line, /node:(?:https?|dgram|dns|tls)$|oidc-provider|\/console\//);
});
