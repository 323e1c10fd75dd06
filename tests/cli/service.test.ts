/** The service that starts the server: the content of its file, and that the file is shown before it is written. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { renderLaunchAgent, renderSystemdUnit } from "rungs/internal/service";
import { rungsHere } from "../../testing/cli/in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-service-"));
after(() => rmSync(folder, { recursive: true }));

const awkward = {
  command: "/opt/my node/bin/node",
  args: ["/x/rungs.js", "serve", "--home", '/home/ö/100% "mine" $HOME & <more>'],
  env: { RUNGS_DATABASE: "postgres://u:p%40ss@host/db" },
};

test("a systemd unit quotes words, and escapes specifiers and variables", () => {
  const unit = renderSystemdUnit(awkward);
  assert.ok(
    unit.includes(
      'ExecStart="/opt/my node/bin/node" /x/rungs.js serve --home "/home/ö/100%% \\"mine\\" $$HOME & <more>"\n',
    ),
    unit,
  );
  assert.match(unit, /\nEnvironment=RUNGS_DATABASE=postgres:\/\/u:p%%40ss@host\/db\n/);
});

test("systemd accepts the unit, where it is installed", (t) => {
  const file = join(folder, "rungs.service");
  writeFileSync(file, renderSystemdUnit({ ...awkward, command: process.execPath }));
  const { error, status, stderr } = spawnSync("systemd-analyze", ["verify", "--user", file], {
    encoding: "utf8",
    env: { ...process.env, XDG_RUNTIME_DIR: folder },
  });
  if (error) return t.skip("systemd-analyze is not installed");
  assert.equal(status, 0, stderr);
});

test("a launchd agent is XML with every word escaped", () => {
  const agent = renderLaunchAgent(awkward, "rungs.server");
  assert.ok(agent.includes('<string>/home/ö/100% "mine" $HOME &amp; &lt;more&gt;</string>'));
  assert.equal(
    agent.match(/<(?:dict|array|string|key)>/g)?.length,
    agent.match(/<\/(?:dict|array|string|key)>/g)?.length,
  );
});

/** Programs that convert a property list to JSON: from macOS, and from Python. */
const READERS = [
  ["plutil", "-convert", "json", "-o", "-", "-"],
  [
    "python3",
    "-c",
    "import json, plistlib, sys; json.dump(plistlib.loads(sys.stdin.buffer.read()), sys.stdout)",
  ],
];

test("a property list parser finds in a launchd agent what to run, and when", (t) => {
  const input = renderLaunchAgent(awkward, "rungs.server");
  const runs = READERS.map(([command = "", ...args]) =>
    spawnSync(command, args, { input, encoding: "utf8" }),
  );
  const { status, stdout, stderr } = runs.find(({ error }) => error === undefined) ?? {};
  if (status === undefined) return t.skip("neither plutil nor Python is installed");
  assert.equal(status, 0, stderr);
  assert.deepEqual(JSON.parse(stdout ?? ""), {
    Label: "rungs.server",
    ProgramArguments: [awkward.command, ...awkward.args],
    EnvironmentVariables: awkward.env,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    Umask: 0o077,
  });
});

test("service install shows its file and writes nothing unasked; only the owner can read the file", async (t) => {
  if (process.platform !== "linux") return t.skip("for systemd");
  const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, "config"), RUNGS_HOME: join(folder, "home") };
  const file = join(env.XDG_CONFIG_HOME, "systemd", "user", "rungs.service");
  const shown = await rungsHere(["service", "install", "--print"], env);
  assert.match(shown.out, new RegExp(`rungs\\.js serve --port 7717 --home ${env.RUNGS_HOME}\n`));
  const refused = await rungsHere(["service", "install"], env);
  assert.deepEqual([refused.code, existsSync(file)], [2, false]);
  assert.match(refused.err, /ExecStart=.*--yes/s);
  const done = await rungsHere(["service", "install", "--yes", "--port", "7718"], env);
  assert.match(readFileSync(file, "utf8"), /--port 7718/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  // Without a systemd session, it says what to run.
  assert.ok(done.code === 0 || /systemctl --user (?:daemon-reload|enable)/.test(done.out), done.out);
  await rungsHere(["service", "remove"], env);
  assert.ok(!existsSync(file));
  assert.equal((await rungsHere(["service", "remove"], env)).code, 2);
});
