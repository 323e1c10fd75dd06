/**
 * An encrypted home: every command works on it, and none of its files contains a word of a record, even after a kill.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, manyNotes, type NotesHome } from "../../testing/cli/notes-home.ts";
import { COMPILE_CACHE, type Env, MAIN, rungs } from "../../testing/cli/program.ts";

const RUNGS_PASSPHRASE = "five random words in a row";
/** Words from texts, titles, queries and client names. */
const WORDS = ["derailleur", "Sourdough", "清水寺", "of the log", "word7 ", "kohlrabi", "shell-client"];

let notes: NotesHome;
before(async () => {
  notes = await createNotesHome();
});
after(() => notes?.remove());

/** A copy of the home, with its environment; the passphrase costs each command a fifth of a second. */
function copyHome(name: string): { readonly home: string; readonly file: string; readonly env: Env } {
  const home = join(notes.folder, name);
  cpSync(notes.env.RUNGS_HOME ?? "", home, { recursive: true });
  return { home, file: join(home, "rungs.db"), env: { ...notes.env, RUNGS_HOME: home, RUNGS_PASSPHRASE } };
}

/** A copy of the home, with a key file, which costs no time. */
function copyKeyless(name: string) {
  const { home, file, env } = copyHome(name);
  const { RUNGS_PASSPHRASE: _, ...keyless } = env;
  return { home, file, env: keyless, encrypt: ["encrypt", "--key-file", join(notes.folder, `${name}.key`)] };
}

async function run(argv: readonly string[], env: Env): Promise<string> {
  const { code, out, err } = await rungsHere(argv, env);
  assert.equal(code, 0, `${argv.join(" ")}: ${err} ${out}`);
  return out;
}

async function refusal(argv: readonly string[], env: Env): Promise<string> {
  const { code, err } = await rungsHere(argv, env);
  assert.notEqual(code, 0, argv.join(" "));
  return err;
}

/** Starts the program without its launcher, so that a signal hits it. */
function startMain(argv: readonly string[], env: Env) {
  return spawn(process.execPath, ["--conditions=rungs-source", MAIN, ...argv], {
    env: { ...COMPILE_CACHE, ...env },
  });
}

/** The files below a folder that contain one of the words, in UTF-8 or UTF-16. */
function listReadable(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file);
      return WORDS.some((word) => bytes.includes(word) || bytes.includes(Buffer.from(word, "utf16le")));
    });
}

const search = async (env: Env) =>
  (await run(["search", "derailleur kohlrabi", "--json"], env)).replace(/"request_id":"[^"]*"/, "");

test("R95 a home is encrypted, rekeyed, moved to another keeper and decrypted, with the same answers", async () => {
  const { home, file, env } = copyHome("whole");
  const before = await search(env);
  assert.deepEqual(listReadable(home).length > 0, true);
  const said = await run(["encrypt"], env);
  assert.match(said, /is encrypted\.\nAll \d+ rows of \d+ tables were read back with equal digests/);
  assert.equal(await search(env), before);
  assert.deepEqual(listReadable(home), []);
  const { RUNGS_PASSPHRASE: _, ...keyless } = env;
  const sealed = readFileSync(file);
  const path = join(notes.folder, "keys", "whole.key");
  mkdirSync(join(notes.folder, "keys"));
  await run(["encrypt", "--key-file", path], env);
  assert.deepEqual(readFileSync(file), sealed, "another keeper writes no word of the database");
  assert.equal(await search(keyless), before);
  await run(["encrypt", "--new-key"], keyless);
  assert.notDeepEqual(readFileSync(file).subarray(0, 64), sealed.subarray(0, 64));
  assert.equal(await search(keyless), before);
  await run(["encrypt", "--passphrase"], { ...keyless, RUNGS_NEW_PASSPHRASE: RUNGS_PASSPHRASE });
  rmSync(path);
  assert.equal(await search(env), before);
  assert.match(await refusal(["encrypt"], env), /is encrypted: add --passphrase, --keychain or --key-file/);
  assert.match(await run(["decrypt"], env), /is decrypted/);
  assert.equal(await search(keyless), before);
});

test("R95 a wrong key, a lost key, a foreign envelope and a half-converted database get clear messages", async () => {
  const { home, file, env } = copyHome("refused");
  const { RUNGS_PASSPHRASE: _, ...keyless } = env;
  const plain = readFileSync(file);
  const unasked =
    /There is no terminal to ask for the new passphrase\. Set .*, or choose --keychain or --key-file FILE/;
  assert.match(await refusal(["encrypt"], keyless), unasked);
  await run(["encrypt"], env);
  const envelope = readFileSync(`${file}-key`, "utf8");
  for (const [argv, given, words] of [
    [
      ["status"],
      keyless,
      /There is no terminal to ask for the passphrase of the database\. Set RUNGS_PASSPHRASE_FILE/,
    ],
    [
      ["status"],
      { ...env, RUNGS_PASSPHRASE: "five other words in a row" },
      /The passphrase does not open the database/,
    ],
    [
      ["status"],
      { ...keyless, RUNGS_PASSPHRASE_FILE: join(home, "none") },
      /no file .*none with the passphrase of the database/,
    ],
    [["encrypt", "--key-file", file], env, /does not contain a key/],
    [["encrypt", "--passphrase"], { ...env, RUNGS_NEW_PASSPHRASE: "short" }, /fewer than 12 characters/],
    [["encrypt", "--passphrase"], env, unasked],
    [["encrypt", "--passphrase", "--keychain"], env, /Choose one of/],
  ] as const)
    assert.match(await refusal(argv, given), words);
  assert.equal((await run(["encrypt", "--key-file", join(notes.folder, "lost.key")], env)) !== "", true);
  writeFileSync(join(notes.folder, "lost.key"), "damaged");
  assert.match(
    await refusal(["status"], env),
    /lost\.key does not contain a key: .* Put the key back that encrypted it/,
  );
  rmSync(join(notes.folder, "lost.key"));
  assert.match(await refusal(["status"], env), /its key file .*lost\.key does not exist\. Put it back/);
  writeFileSync(`${file}-key`, "{}");
  assert.match(
    await refusal(["status"], env),
    /rungs\.db-key, which opens the encrypted database, is damaged/,
  );
  rmSync(`${file}-key`);
  assert.match(await refusal(["status"], env), /not a database\)\. If it was encrypted, put its envelope/);
  const { out } = await rungsHere(["doctor"], env);
  assert.match(out, /put its envelope .* or correct --database\. Run rungs doctor again/);
  writeFileSync(`${file}-key`, envelope);
  // Killed before the rename of the encrypted file, and after that of a decrypted one.
  const sealed = readFileSync(file);
  writeFileSync(file, plain);
  assert.match(
    await refusal(["status"], env),
    /is plain, and its envelope says that it is encrypted: .* Nothing is lost/,
  );
  await run(["encrypt"], env);
  assert.match(await run(["status"], env), /Data/);
  writeFileSync(file, plain);
  // A conversion removes the audit journal, by then empty, before it puts the new file in place.
  rmSync(`${file}-notes`);
  await run(["decrypt"], env);
  assert.match(await run(["status"], keyless), /Data/);
  const other = copyHome("foreign");
  await run(["encrypt"], other.env);
  writeFileSync(file, sealed);
  copyFileSync(`${other.file}-key`, `${file}-key`);
  assert.match(await refusal(["status"], env), /The key does not open the database/);
});

test("R95 imports, backups, restores, copies and doctor work on an encrypted home, and leave nothing in plain text", async () => {
  const { home, file, env, encrypt } = copyKeyless("used");
  const plain_backup = join(notes.folder, "plain-backup.db");
  await run(["backup", plain_backup], env);
  await run(encrypt, env);
  const more = join(notes.folder, "more.ndjson");
  writeFileSync(more, manyNotes(30));
  const manifest = new URL("../../examples/notes/manifest.json", import.meta.url).pathname;
  await run(["import", more, "--as", "records", "--manifest", manifest, "--connection", "notes"], env);
  const before = await search(env);
  mkdirSync(join(home, "backups"));
  for (const suffix of ["", "-key"])
    copyFileSync(`${file}${suffix}`, join(home, "backups", `rungs-20200101T000000Z.db${suffix}`));
  await run(["backup", "--keep", "1"], env);
  const backups = readdirSync(join(home, "backups")).sort();
  assert.deepEqual(
    backups.map((name) => name.replace(/\d+/g, "")),
    ["rungs-TZ.db", "rungs-TZ.db-key"],
  );
  const backup = join(home, "backups", backups[0] ?? "");
  assert.deepEqual(listReadable(home), []);
  const findings = JSON.parse(await run(["doctor", "--json", "--purge"], env)).findings as { name: string }[];
  assert.ok(findings.some(({ name }) => name === "encryption"));
  copyFileSync(file, join(home, "rungs.db.replaced-x"));
  await run(["restore", backup, "--replace"], env);
  assert.equal(await search(env), before);
  // A plain backup becomes an encrypted database.
  await run(["restore", plain_backup, "--replace"], env);
  await run(["status"], env);
  assert.deepEqual(listReadable(home), []);
  const elsewhere = join(notes.folder, "elsewhere");
  await run(["restore", backup, "--home", elsewhere, "--keep-grants"], env);
  assert.equal(await search({ ...env, RUNGS_HOME: elsewhere }), before);
  assert.deepEqual(listReadable(elsewhere), []);
  const copy = join(home, "copy.db");
  await run(["copy", "--to", copy], env);
  await run(["status", "--database", copy], env);
  assert.deepEqual(listReadable(home), []);
  copyFileSync(plain_backup, join(home, "backups", "rungs-20200101T000000Z.db"));
  assert.match(
    (await rungsHere(["doctor"], env)).out,
    /plain copies are beside it: .*rungs-20200101T000000Z\.db/,
  );
});

test("R95 a database is created encrypted", async () => {
  const home = join(notes.folder, "new");
  const env = { RUNGS_HOME: home, RUNGS_PASSPHRASE };
  await run(["encrypt"], env);
  await run(["status"], env).catch(() => undefined);
  const records = join(notes.folder, "records.ndjson");
  const manifest = new URL("../../examples/notes/manifest.json", import.meta.url).pathname;
  await run(["import", records, "--as", "records", "--manifest", manifest, "--connection", "notes"], env);
  assert.deepEqual(listReadable(home), []);
});

test("R95 a killed server leaves no plain text, and its child processes have the key", async (t) => {
  const { home, file, env } = copyHome("served");
  await run(["encrypt"], env);
  const server = startMain(["serve", "--port", "0", "--json"], env);
  t.after(() => server.kill("SIGKILL"));
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(String(line)) as { url: string };
  const headers = { authorization: `Bearer ${env.RUNGS_TOKEN}` };
  const answer = await fetch(`${url}/v1/search?q=derailleur+kohlrabi`, { headers });
  assert.match(await answer.text(), /derailleur/);
  server.kill("SIGKILL");
  await once(server, "exit");
  assert.ok(existsSync(`${file}-notes-wal`), "the audit journal has the newest reads");
  assert.deepEqual(listReadable(home), []);
  assert.match(await run(["audit"], env), /search/);
});

test("R95 rungs encrypt and rungs decrypt resume after a kill at any point", async () => {
  const { home, file, env, encrypt } = copyKeyless("killed");
  const before = await search(env);
  for (const command of [encrypt, ["decrypt"]]) {
    const program = startMain(command, env);
    while (!existsSync(`${file}.converting`) && program.exitCode === null) await setTimeout(1);
    program.kill("SIGKILL");
    if (program.exitCode === null && program.signalCode === null) await once(program, "exit");
    assert.equal((await rungs(command, env)).code, 0);
    assert.equal(await search(env), before);
    assert.deepEqual(
      readdirSync(home).filter((name) => name.includes("converting")),
      [],
    );
    assert.equal(listReadable(home).length > 0, command !== encrypt);
  }
});

/** Fakes the system's keychain, which test machines lack. */
const FAKE_KEYCHAIN = `
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const file = process.env.FAKE_KEYCHAIN;
const read = () => existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
exports.Entry = class {
  constructor(service, account) { this.name = service + "/" + account; }
  getPassword() { return read()[this.name] ?? null; }
  setPassword(secret) { writeFileSync(file, JSON.stringify({ ...read(), [this.name]: secret })); }
};`;

test("R95 the system's keychain keeps the key, and a missing one is reported", async () => {
  const { home, env: given } = copyHome("keychain");
  const { RUNGS_PASSPHRASE: _, ...env } = given;
  const missing = await rungs(["encrypt", "--keychain"], env);
  assert.match(
    missing.err,
    /@napi-rs\/keyring, which is not installed\. Run npm install -g|keychain does not answer/,
  );
  const keychain = join(notes.folder, "keychain.cjs");
  const preload = join(notes.folder, "preload.cjs");
  writeFileSync(keychain, FAKE_KEYCHAIN);
  // The checkout has the real package, whose keychain cannot be opened where nobody is signed in.
  writeFileSync(
    preload,
    `const Module = require("node:module");
     const resolve = Module._resolveFilename;
     Module._resolveFilename = function (name, ...rest) {
       return name === "@napi-rs/keyring" ? ${JSON.stringify(keychain)} : resolve.call(this, name, ...rest);
     };`,
  );
  const FAKE = join(notes.folder, "keychain.json");
  const with_keychain = { ...env, NODE_OPTIONS: `--require=${preload}`, FAKE_KEYCHAIN: FAKE };
  assert.equal((await rungs(["encrypt", "--keychain"], with_keychain)).code, 0);
  assert.equal((await rungs(["status"], with_keychain)).code, 0);
  assert.deepEqual(listReadable(home), []);
  writeFileSync(FAKE, "{}");
  assert.match((await rungs(["status"], with_keychain)).err, /keychain has no entry "rungs" for database-/);
});
