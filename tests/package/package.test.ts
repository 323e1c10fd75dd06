/**
 * The published package, installed into an empty folder without a registry, on its oldest supported Node and on the
 * current one.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { READ_NAMES } from "@rungs/contract";
import { type Installed, installPackage, runInstalled, startInstalled } from "../../testing/cli/installed.ts";
import { type Env, pretendVersion } from "../../testing/cli/program.ts";
import { makeDocx } from "../../testing/files/docx.ts";
import { makePdf } from "../../testing/files/pdf.ts";
import { Client, StdioClientTransport } from "../../testing/mcp/sdk.ts";
import { findOldestNode, readOldestVersion } from "../../testing/oldest-node.ts";
import { createTestDatabase } from "../../testing/postgres.ts";

let folder: string;
let installed: Installed;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "rungs-package-"));
  installed = await installPackage(folder);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const OLDEST = `Node ${readOldestVersion()}`;
const nodes = { [OLDEST]: findOldestNode(), "this Node": process.execPath };

function skipWithout(node: string | undefined): string | false {
  return node === undefined && "npm cannot get it: name one with RUNGS_TEST_OLDEST_NODE";
}

test("R91 the package is one package: small, with its licences, without TypeScript and without build info", () => {
  const { packed, package_count } = installed;
  assert.equal(package_count, 1);
  assert.ok(packed.unpackedSize < 15e6, `${packed.unpackedSize} bytes`);
  const paths = packed.files.map(({ path }) => path);
  for (const needed of ["README.md", "LICENSE", "THIRD-PARTY-NOTICES.txt", "sbom.cdx.json", "bin/rungs.js"])
    assert.ok(paths.includes(needed), needed);
  for (const path of paths) assert.doesNotMatch(path, /\.(?:ts|map|tsbuildinfo)$|\.test\.|node_modules/);
});

test("R91 the notices and the bill of materials name the same packages, each with a licence", () => {
  const notices = readFileSync(join(installed.folder, "THIRD-PARTY-NOTICES.txt"), "utf8");
  const { components } = JSON.parse(readFileSync(join(installed.folder, "sbom.cdx.json"), "utf8"));
  const named = [...notices.matchAll(/^-{80}\n\n(\S+) (\S+) \(/gm)].map(
    ([, name, version]) => `${name}@${version}`,
  );
  const listed = components.map(
    ({ name, version }: { name: string; version: string }) => `${name}@${version}`,
  );
  assert.deepEqual(new Set(named), new Set(listed));
  assert.ok(named.includes("zod@4.6.7") && named.length > 50);
});

for (const [name, node = ""] of Object.entries(nodes)) {
  const skip = skipWithout(nodes[name]);

  test(`R91 on ${name}: demo, first search, connect, and a question over MCP, without warnings`, {
    skip,
  }, async (t) => {
    const env = createFreshEnv(join(folder, name));
    const { home, token, stop } = await startDemo(t, node, env);
    const run = (...argv: string[]) => runInstalled(installed, node, argv, env);
    const { version } = JSON.parse(readFileSync(join(installed.folder, "package.json"), "utf8"));
    assert.deepEqual(await run("--version"), { code: 0, out: `${version}\n`, err: "" });
    const found = await run("search", "where is the spare key to the cellar?");
    assert.deepEqual([found.code, found.out.split("\n")[0]], [0, "mail-home/messages:m-0098"], found.err);
    assert.match(found.err, /^rungs: No token is given: this is the sample data of the demo at \S+\n$/);
    const connected = await run("connect", "--install", "claude-desktop", "--yes", "--json");
    assert.equal(connected.code, 0, connected.err);
    const { mcpServers } = JSON.parse(readFileSync(JSON.parse(connected.out).file, "utf8"));
    await askOverMcp(t, { ...mcpServers.rungs, env: { ...env, ...mcpServers.rungs.env } });
    // Directly on the database, without a server.
    const args = [join(installed.folder, "bin", "rungs.js"), "mcp", "--home", home];
    await askOverMcp(t, { command: node, args, env: { ...env, RUNGS_TOKEN: token } });
    assert.deepEqual(await stop(), { code: process.platform === "win32" ? null : 0, err: "" });
  });

  test(`R91 on ${name}: the package imports into PostgreSQL and reads from it`, {
    // The workflow for Windows has no PostgreSQL.
    skip: skip || (process.platform === "win32" && "PostgreSQL is not tested on Windows"),
  }, async (t) => {
    const database = await createTestDatabase();
    t.after(() => database.drop());
    const env = { ...createFreshEnv(join(folder, name, "postgres")), RUNGS_DATABASE: database.url };
    const file = join(env.HOME, "spend.csv");
    writeFileSync(file, "id,what\n1,tea\n2,rice\n");
    const imported = await runInstalled(installed, node, ["import", file, "--connection", "money"], env);
    assert.deepEqual([imported.code, imported.err], [0, ""]);
    const listed = await runInstalled(installed, node, ["connections"], env);
    assert.match(listed.out, /^money .* 2\b/m);
  });
}

test("R91 on an older Node, the package names the version that it needs", () => {
  const { engines } = JSON.parse(readFileSync(join(installed.folder, "package.json"), "utf8"));
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node) ?? [];
  const older = `${major}.${Number(minor) - 1}.9`;
  const argv = [...pretendVersion(older), join(installed.folder, "bin", "rungs.js"), "--version"];
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", env: {} });
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`needs Node ${major}\\.${minor} or newer, and this is Node ${older}`));
});

/** The environment of a new user, on any system. */
function createFreshEnv(home: string) {
  mkdirSync(home, { recursive: true });
  const { SystemRoot = "" } = process.env;
  return {
    ...{ HOME: home, USERPROFILE: home, LOCALAPPDATA: join(home, "local"), APPDATA: join(home, "roaming") },
    SystemRoot,
  };
}

/** Starts an MCP server as a host does, lists its tools, searches and reads its view. */
async function askOverMcp(
  t: TestContext,
  server: { command: string; args: string[]; env: Record<string, string> },
): Promise<void> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StdioClientTransport(server));
  t.after(() => client.close());
  assert.equal((await client.listTools()).tools.length, READ_NAMES.length);
  const answer = await client.callTool({ name: "search", arguments: { query: "spare key" } });
  assert.match(JSON.stringify(answer.content), /m-0098/);
  const view = await client.readResource({ uri: "ui://rungs/view.html" });
  assert.match(JSON.stringify(view.contents), /<html/);
}

test(`R91 on ${OLDEST}: import extracts documents in the confined process`, {
  skip: skipWithout(nodes[OLDEST]),
}, async () => {
  const node = nodes[OLDEST] ?? "";
  const home = join(folder, "own");
  const files = join(folder, "files");
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, "lease.pdf"), makePdf([["The lease ends in October."]]));
  writeFileSync(
    join(files, "tokyo.pdf"),
    makePdf([Buffer.from("BT /F1 12 Tf 72 720 Td <93FA967B> Tj ET")], { font: JAPANESE }),
  );
  writeFileSync(join(files, "roof.docx"), makeDocx(["The roof was mended in May."]));
  const env = { ...createFreshEnv(home), RUNGS_HOME: home };
  const imported = await runInstalled(installed, node, ["import", files, "--connection", "papers"], env);
  assert.equal(imported.code, 0, imported.err);
  const granted = await runInstalled(
    installed,
    node,
    ["grant", "create", "--client", "me", "--allow", "papers/*", "--json"],
    env,
  );
  assert.equal(granted.code, 0, granted.err);
  const { token } = JSON.parse(granted.out);
  const query = ["search", "October OR 日本 OR mended"];
  const found = await runInstalled(installed, node, query, { ...env, RUNGS_TOKEN: token });
  for (const word of ["October", "日本", "mended"]) assert.ok(found.out.includes(`⟦${word}⟧`), found.out);
  const vectors = await runInstalled(installed, node, ["embeddings", "show"], env);
  assert.match(vectors.out, /3 of 3 records are embedded/);
});

test("the image's command serves, and its health check passes, without writing outside /data and /tmp", async (t) => {
  const { env, command, check } = readDockerfile(join(folder, "data"));
  const program = spawn(process.execPath, [...command, "--port", "0", "--json"], { env });
  t.after(() => program.kill("SIGKILL"));
  const [said] = await once(program.stdout, "data");
  const port = new URL(JSON.parse(String(said)).url).port;
  const isHealthy = async (at: string) => {
    const checking = spawn(
      process.execPath,
      check.map((word) => word.replace(":7717", `:${at}`)),
    );
    return (await once(checking, "close"))[0];
  };
  assert.equal(await isHealthy(port), 0);
  program.kill("SIGTERM");
  assert.equal((await once(program, "close"))[0], 0);
  assert.equal(await isHealthy(port), 1);
});

/** The image's command, with its folders replaced by the test's. */
function readDockerfile(data: string) {
  const text = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");
  const list = (pattern: RegExp): string[] => JSON.parse(pattern.exec(text)?.[1] ?? "");
  const [, settings = ""] = /^ENV (.*)$/m.exec(text) ?? [];
  const env = Object.fromEntries(settings.split(" ").map((pair) => pair.split("=")));
  assert.deepEqual(env, { RUNGS_HOME: "/data", XDG_CACHE_HOME: "/tmp/cache" });
  assert.match(text, /^FROM \S+:nonroot$/m);
  const [node, ...entry] = [...list(/^ENTRYPOINT (.*)$/m), ...list(/^CMD (.*)$/m)];
  const [checker, ...check] = list(/^HEALTHCHECK .*? CMD (.*)$/m);
  assert.deepEqual([node, checker], ["/nodejs/bin/node", "/nodejs/bin/node"]);
  const command = entry.map((word) => word.replace("/app", installed.folder));
  return { env: { RUNGS_HOME: data, XDG_CACHE_HOME: join(folder, "cache") }, command, check };
}

/** Shift_JIS, by a character map that pdf.js loads by name. */
const JAPANESE =
  "<< /Type /Font /Subtype /Type0 /BaseFont /Gothic /Encoding /90ms-RKSJ-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Gothic /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor << /Type /FontDescriptor /FontName /Gothic /Flags 4 >> >>] >>";

async function startDemo(t: TestContext, node: string, env: Env) {
  const program = startInstalled(installed, node, ["demo", "--port", "0", "--json"], env);
  t.after(() => program.kill("SIGKILL"));
  let err = "";
  program.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    err += chunk;
  });
  const end = once(program, "close");
  const said = await Promise.race([once(program.stdout.setEncoding("utf8"), "data"), end]);
  assert.match(String(said[0]), /^\{/, err);
  const stop = async () => {
    program.kill("SIGINT");
    const [code] = await end;
    return { code, err };
  };
  return { ...(JSON.parse(said[0]) as { home: string; token: string }), stop };
}
