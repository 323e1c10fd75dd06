/** The first five minutes: commands find the running demo, hosts are set up on request, status says who read. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { rungs, start } from "../../testing/cli/program.ts";
import { until } from "../../testing/until.ts";
import { CTRL_C, hasTerminal, runInTerminal } from "./pseudo-terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-minutes-"));
/** A new user's home, without any configuration. */
const env = {
  HOME: folder,
  XDG_DATA_HOME: join(folder, ".local/share"),
  XDG_CONFIG_HOME: join(folder, ".config"),
  CODEX_HOME: join(folder, ".codex"),
};
let url: string;
let token: string;
let stop: () => Promise<void>;

before(async () => {
  const program = start(["demo", "--port", "0", "--json"], env);
  const end = once(program, "close");
  const [said] = await once(program.stdout, "data");
  ({ url, token } = JSON.parse(String(said)));
  stop = async () => {
    program.kill("SIGINT");
    await end;
  };
});
after(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

test("R90 a search beside a running demo needs neither address nor token, and says what it reads", async () => {
  const found = await rungsHere(["search", "spare key", "--limit", "1"], env);
  assert.equal(found.code, 0, found.err);
  assert.match(found.out, /^mail-home\/messages:m-0098\n/);
  assert.equal(found.err, `rungs: No token is given: this is the sample data of the demo at ${url}.`);
  assert.ok(!existsSync(join(env.XDG_DATA_HOME, "rungs")), "a command that reads created a database");
});

test("R90 an owner without data sees that of the running demo; no database is created", async (t) => {
  const note = `rungs: You have no database yet: this is the sample data of the demo at ${url}.`;
  const asked: [string[], RegExp][] = [
    [["connections"], /mail-home +Mail at home/],
    [["grant", "list"], /demo agent/],
    [["audit"], /demo agent +search/],
    [["doctor"], /^ok /m],
  ];
  for (const [argv, words] of asked) {
    const { code, out, err } = await rungsHere(argv, env);
    assert.deepEqual([code, err], [0, note], argv.join(" "));
    assert.match(out, words);
  }
  assert.ok(!existsSync(join(env.XDG_DATA_HOME, "rungs")), "a command that reads created a database");
  const file = join(folder, "spend.csv");
  writeFileSync(file, "id,what\n1,tea\n");
  t.after(() => rmSync(join(env.XDG_DATA_HOME, "rungs"), { recursive: true }));
  assert.equal((await rungsHere(["import", file, "--connection", "money"], env)).code, 0);
  const { out, err } = await rungsHere(["connections"], env);
  assert.deepEqual([/money/.test(out), /mail-home/.test(out), err], [true, false, ""]);
});

test("a home, database or server that was named is never replaced by the demo", async () => {
  const named: [string[], object][] = [
    [["--home", join(folder, "other")], {}],
    [[], { RUNGS_HOME: join(folder, "other") }],
    [["--database", join(folder, "other.db")], {}],
    [["--url", "http://127.0.0.1:9"], {}],
  ];
  for (const [flags, more] of named) {
    const { code, out } = await rungsHere(["search", "tea", ...flags], { ...env, ...more });
    assert.deepEqual([code, out], [3, ""], flags.join(" "));
  }
});

test("login-link makes a link for the running server, and the sign-in page names the command", async () => {
  const { out } = await rungsHere(["login-link", "--json"], env);
  const { console_url } = JSON.parse(out);
  assert.ok(console_url.startsWith(`${url}/console/sign-in?code=`), console_url);
  const body = new URLSearchParams({
    code: new URL(console_url).searchParams.get("code") ?? "",
    cookie_alone: "on",
  });
  const answer = await fetch(`${url}/console/sign-in`, {
    method: "POST",
    body,
    redirect: "manual",
    headers: { Origin: url },
  });
  assert.equal(answer.status, 303);
  assert.match(await (await fetch(`${url}/console/sign-in`)).text(), />npx rungs login-link --home [^<]*</);

  const Cookie = answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
  for (const [page, command] of [
    ["sync", "sync add connector MANIFEST.json --program PROGRAM"],
    ["import", "import PATH"],
    ["settings", "embeddings"],
  ]) {
    const text = await (await fetch(`${url}/console/${page}`, { headers: { Cookie } })).text();
    assert.match(
      text,
      new RegExp(`>npx rungs ${command} --home [^<]*<`),
      "each command is about the demo's data",
    );
  }
});

test("status says what is served, how much there is, and who read today", async () => {
  const { code, out } = await rungsHere(["status"], env);
  assert.equal(code, 0);
  assert.match(out, new RegExp(`^Server    ${url}, the demo, since `));
  assert.match(out, /\nData {6}\d+ records in 5 connections\nGrants {4}1 active\n/);
  assert.match(out, /demo agent +\d+ +\d+ +\d+/);
  const { server, database, readers, records } = JSON.parse((await rungsHere(["status", "--json"], env)).out);
  assert.equal(server.url, url);
  assert.ok(records > 400 && readers.length > 0);
  assert.ok(
    database.size_bytes > 1e6,
    `${database.size_bytes} bytes, with those that SQLite has not moved yet`,
  );
  assert.ok(!JSON.stringify(server).includes(token));
});

test("status of a home without a database says so and creates none", async () => {
  const home = join(folder, "nothing");
  const { code, err } = await rungsHere(["status", "--home", home], env);
  assert.equal(code, 1);
  assert.match(err, /There is no database at /);
  assert.ok(!existsSync(home));
});

test("connect --print shows one host, including Claude Desktop, and lists all hosts otherwise", async () => {
  const { out } = await rungsHere(["connect", "--print", "codex"], env);
  assert.match(out, /^Codex \(~\/\.codex\/config\.toml\):\n\[mcp_servers\.rungs\]\nurl = /);
  assert.ok(out.includes(`${url}/mcp`) && out.includes(token));
  const desktop = JSON.parse((await rungsHere(["connect", "--print", "claude-desktop", "--json"], env)).out);
  const { command, args } = JSON.parse(desktop.text).mcpServers.rungs;
  assert.equal(command, process.execPath);
  assert.deepEqual(args.slice(1, 4), ["mcp", "--url", url]);
  const unknown = await rungsHere(["connect", "--print", "emacs"], env);
  assert.equal(unknown.code, 2);
  assert.match(
    unknown.err,
    /claude-code, claude-desktop, codex, gemini-cli, opencode, copilot-cli, cursor, vs-code, chatgpt/,
  );
});

test("in a terminal, connect opens the browser at the address that it prints, and says that it waits", {
  skip: !hasTerminal && "no pseudo-terminal",
}, async () => {
  const [bin, opened] = [join(folder, "bin"), join(folder, "opened")];
  mkdirSync(bin);
  writeFileSync(
    join(bin, "xdg-open"),
    `#!/bin/sh\necho "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`,
    {
      mode: 0o755,
    },
  );
  const PATH = `${bin}:${process.env.PATH}`;
  const { screen } = await runInTerminal(
    ["connect"],
    { ...env, PATH },
    { when: /Ctrl-C ends it/, type: CTRL_C },
  );
  const [, address = ""] = /to give access:\n(\S+)\nWaiting for your answer/.exec(screen) ?? [];
  assert.ok(address.startsWith(`${url}/`), screen);
  await until(() => existsSync(opened));
  assert.equal(readFileSync(opened, "utf8").trim(), address);
});

test("connect --install for a program that is not installed says what to do instead", async () => {
  const { code, err } = await rungs(["connect", "--install", "claude-code", "--yes"], { ...env, PATH: "" });
  assert.equal(code, 2);
  assert.match(err, /claude cannot be started \(ENOENT\): rungs connect --print claude-code shows/);
});

test("connect --install shows the change, keeps the rest of the file, and is idempotent", async () => {
  const file = join(env.CODEX_HOME, "config.toml");
  const before = 'model = "x"\n\n[mcp_servers.other]\ncommand = "other"\n';
  mkdirSync(env.CODEX_HOME);
  writeFileSync(file, before);
  const refused = await rungsHere(["connect", "--install", "codex"], env);
  assert.deepEqual([refused.code, readFileSync(file, "utf8")], [2, before]);
  for (let round = 0; round < 2; round += 1) {
    const { code, err } = await rungsHere(["connect", "--install", "codex", "--yes"], env);
    assert.equal(code, 0, err);
    assert.ok(err.startsWith(`Writes ${file}:\n`));
    const text = readFileSync(file, "utf8");
    assert.ok(text.startsWith(before));
    assert.equal(text.match(/\[mcp_servers\.rungs\]/g)?.length, 1);
  }
  assert.ok(readFileSync(`${file}.before-rungs`, "utf8").startsWith(before));
});

test("connect --install adds to a JSON file, and leaves one with comments untouched", async () => {
  const file = join(env.XDG_CONFIG_HOME, "Claude", "claude_desktop_config.json");
  mkdirSync(join(env.XDG_CONFIG_HOME, "Claude"), { recursive: true });
  writeFileSync(file, '{"theme":"dark","mcpServers":{"other":{"command":"x"}}}');
  const done = await rungsHere(["connect", "--install", "claude-desktop", "--yes"], env);
  if (process.platform === "linux") {
    assert.equal(done.code, 0, done.err);
    const written = JSON.parse(readFileSync(file, "utf8"));
    assert.deepEqual([written.theme, Object.keys(written.mcpServers)], ["dark", ["other", "rungs"]]);
    writeFileSync(file, "{ // mine\n}");
    const refused = await rungsHere(["connect", "--install", "claude-desktop", "--yes"], env);
    assert.deepEqual([refused.code, readFileSync(file, "utf8")], [2, "{ // mine\n}"]);
  }
  const chatgpt = await rungsHere(["connect", "--install", "chatgpt", "--yes"], env);
  assert.deepEqual([chatgpt.code, /--print chatgpt/.test(chatgpt.err)], [2, true]);
});

test("a killed server's file is ignored, and a stopped server leaves none", async () => {
  const home = join(folder, "killed");
  mkdirSync(home);
  writeFileSync(
    join(home, "server.json"),
    JSON.stringify({ url, home, pid: 2 ** 22 + 1, started_at: "", token_file: "x" }),
  );
  const { code } = await rungsHere(["search", "tea", "--home", home], env);
  assert.equal(code, 3);
  writeFileSync(join(home, "server.json"), '{"url":');
  assert.equal((await rungsHere(["search", "tea", "--home", home], env)).code, 3);
  const served = start(["demo", "--home", join(folder, "short"), "--port", "0"], env);
  await once(served.stdout, "data");
  served.kill("SIGINT");
  await once(served, "close");
  assert.ok(!existsSync(join(folder, "short", "server.json")));
});

test("an exotic home that cannot be created fails with a sentence", async () => {
  for (const home of ["/etc/hostname/x", "/proc/rungs/x"]) {
    const { code, err } = await rungs(["login-link", "--home", home], env);
    assert.notEqual(code, 0);
    assert.match(err, /^rungs: .*(?:\/etc\/hostname|\/proc)/);
  }
});
