import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Keychain } from "./keychain.ts";
import { createSecretKeeper } from "./secret-keeper.ts";

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "rungs-secrets-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A keychain in memory, which can be closed. */
function createKeychain() {
  const kept = new Map<string, string>();
  const state = { isClosed: false };
  const open = () => {
    if (state.isClosed) throw new Error("The session has no keychain.");
    return kept;
  };
  const keychain: Keychain = {
    read: (name) => open().get(name),
    write: (name, secret) => void open().set(name, secret),
  };
  return { keychain, kept, state };
}

test("R78 the key is in the keychain where there is one, and then in no file", async (t) => {
  const file = join(createFolder(t), "sources.key");
  const { keychain, kept, state } = createKeychain();
  const keeper = createSecretKeeper({ file: file, keychain });
  const sealed = await keeper.seal("hunter2", "box");
  assert.ok(!sealed.includes("hunter2") && !sealed.includes([...kept.values()].join()));
  assert.equal(await keeper.open(sealed, "box"), "hunter2");
  assert.equal(await createSecretKeeper({ file: file, keychain }).open(sealed, "box"), "hunter2");
  assert.ok(!existsSync(file));
  assert.equal(keeper.describePlace(), "the system's keychain");
  await assert.rejects(keeper.open(sealed, "other"), { code: "source_refused", message: /not the one/ });
  await assert.rejects(createSecretKeeper({ file }).open(sealed, "box"), {
    message: /cannot be opened here/,
  });
  state.isClosed = true;
  await assert.rejects(keeper.open(sealed, "box"), { message: /cannot be opened here/ });
  state.isClosed = false;
  kept.clear();
  await assert.rejects(keeper.open(sealed, "box"), { message: /not in the system's keychain any more/ });
});

test("R78 falls back to the file if the keychain cannot be opened, and what either sealed stays readable", async (t) => {
  const file = join(createFolder(t), "sources.key");
  const { keychain, state } = createKeychain();
  const keeper = createSecretKeeper({ file: file, keychain });
  const first = await keeper.seal("one", "a");
  state.isClosed = true;
  const second = await keeper.seal("two", "b");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(keeper.describePlace(), `the file ${file}`);
  assert.equal(await keeper.open(second, "b"), "two");
  state.isClosed = false;
  assert.equal(await keeper.open(first, "a"), "one");
  assert.equal(await keeper.open(second, "b"), "two");
});

test("R78 servers that were given the same key open what one of them sealed, and none without it does", async (t) => {
  const folder = createFolder(t);
  const given = randomBytes(32).toString("base64url");
  const open = (name: string, key?: string) => createSecretKeeper({ file: join(folder, name), given: key });
  const before = await open("a").seal("old", "box");
  const sealed = await open("a", given).seal("hunter2", "box");
  assert.equal(await open("b", given).open(sealed, "box"), "hunter2");
  assert.equal(open("b", given).describePlace(), "RUNGS_SOURCES_KEY");
  assert.ok(!existsSync(join(folder, "b")));
  assert.equal(
    await open("a", given).open(before, "box"),
    "old",
    "what the file's key sealed stays readable",
  );
  await assert.rejects(open("b", given).open(before, "box"), {
    message: /is missing/,
  });
  await assert.rejects(open("a").open(sealed, "box"), { message: /RUNGS_SOURCES_KEY, which is not set/ });
  const other = randomBytes(32).toString("base64url");
  await assert.rejects(open("a", other).open(sealed, "box"), { message: /not the one/ });
  await assert.rejects(open("a", "short").seal("x", "box"), { message: /does not hold a key/ });
});

const PROGRAMS = ["dbus-run-session", "gnome-keyring-daemon"];
const REAL = `
const { createSecretKeeper, findKeychain } = await import("@rungs/sources");
const keeper = createSecretKeeper({ file: process.argv[1], keychain: findKeychain() });
const sealed = await keeper.seal("hunter2", "box");
const again = createSecretKeeper({ file: process.argv[1], keychain: findKeychain() });
console.log([await again.open(sealed, "box"), again.describePlace()].join(" in "));`;

test("R78 the key is in the keychain of a desktop (Secret Service)", (t) => {
  const folder = createFolder(t);
  const file = join(folder, "sources.key");
  if (PROGRAMS.some((name) => spawnSync(name, ["--version"]).error))
    return t.diagnostic(
      "No Secret Service is installed here: the tests before this one have a keychain in memory.",
    );
  const { PATH = "" } = process.env;
  const run = (...command: string[]) =>
    spawnSync(command[0] ?? "", command.slice(1), {
      encoding: "utf8",
      cwd: import.meta.dirname,
      env: { PATH, HOME: folder, XDG_RUNTIME_DIR: folder },
    });
  const node = [process.execPath, "--conditions=rungs-source", "--input-type=module", "-e", REAL, file];
  const unlock = 'printf "\\n" | gnome-keyring-daemon --unlock --components=secrets >&2; "$@"';
  const { stdout, stderr } = run("dbus-run-session", "--", "sh", "-c", unlock, "sh", ...node);
  assert.equal(stdout, "hunter2 in the system's keychain\n", stderr);
  assert.ok(!existsSync(file));
  // Without a session there is no keychain, and the file is the fallback.
  assert.equal(run(...node).stdout, `hunter2 in the file ${file}\n`);
});
