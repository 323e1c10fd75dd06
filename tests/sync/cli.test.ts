/** `rungs sync` on a real mailbox, by command line. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { start } from "../../testing/cli/program.ts";
import { type MailServer, PASSWORD, USER } from "../../testing/imap/mail-account.ts";
import { MAIL_SERVER, openMailbox, startMailServer } from "../../testing/imap/mail-server.ts";
import { writeMessage } from "../../testing/imap/sync-world.ts";
import type { Json } from "../../testing/world.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-sync-cli-"));
const env = { RUNGS_HOME: join(folder, "home"), MAIL_PASSWORD: PASSWORD, WRONG: "wrong" };
let server: MailServer;
let address: string;
before(async () => {
  server = await startMailServer();
  address = `imap+plain://${USER}@127.0.0.1:${server.port}`;
  const box = await openMailbox(server);
  await box.append("INBOX", writeMessage("one@x", { body: "The quince harvest." }));
  await box.logout();
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const rungs = (...argv: string[]) => rungsHere(argv, env);
const json = async (...argv: string[]): Promise<Json> => JSON.parse((await rungs(...argv, "--json")).out);
const add = (...more: string[]) => rungs("sync", "add", "imap", address, "--id", "box", ...more);

test(`a wrong password, address or setting is refused with a clear message, and nothing is added (${MAIL_SERVER})`, async () => {
  const cases: [string[], RegExp][] = [
    [["sync", "add", "imap", address, "--password-env", "WRONG"], /refused the sign-in.*app password/s],
    [["sync", "add", "imap", address, "--password-env", "NONE"], /NONE is not set/],
    [["sync", "add", "imap", address], /--password-env or --password-stdin/],
    [
      ["sync", "add", "imap", "ftp://x", "--password-env", "MAIL_PASSWORD"],
      /not the address of a mail server/,
    ],
    [["sync", "add", "imap", `imap+plain://${USER}:pw@127.0.0.1`], /visible to others/],
    [["sync", "add", "pop", "x"], /takes imap, caldav, carddav, folder, connector, not pop/],
    [
      ["sync", "add", "imap", "imap+plain://ada@mail.example.org", "--password-env", "MAIL_PASSWORD"],
      /without TLS would show the password/,
    ],
    [["sync", "add", "imap", address, "--password-env", "MAIL_PASSWORD", "--cron", "never"], /cron pattern/],
    [
      ["sync", "add", "imap", "imap+plain://ada@127.0.0.1:1", "--password-env", "MAIL_PASSWORD"],
      /No server listens/,
    ],
  ];
  for (const [argv, words] of cases) {
    const { code, err } = await rungs(...argv);
    assert.match(err, words);
    assert.notEqual(code, 0);
  }
  assert.deepEqual((await json("sync", "list")).syncs, []);
});

test(`R79 a mailbox is added, listed with the host that it connects to, run, logged, paused and removed (${MAIL_SERVER})`, async () => {
  const added = await add("--password-env", "MAIL_PASSWORD");
  assert.match(added.out, /^Added box: ada at 127\.0\.0\.1:\d+, into the connection box\./);
  assert.match((await add("--password-env", "MAIL_PASSWORD")).err, /There is a sync box already/);
  assert.match((await rungs("sync", "list")).out, /box +imap +ada +127\.0\.0\.1:\d+ +box +never +now/);
  assert.match(
    (await rungs("sync", "run", "box")).out,
    /^box: done, 1 added, 0 changed, 0 deleted, 0 rejected$/,
  );
  assert.match((await rungs("sync", "log", "box")).out, /done +1 +0 +0 +0/);
  assert.match((await rungs("connections")).out, /box.*messages/s);
  await rungs("sync", "pause", "box");
  assert.equal((await json("sync", "list")).syncs[0].is_paused, true);
  assert.match((await rungs("sync", "run")).out, /no sync to run/);
  await rungs("sync", "resume", "box");
  assert.equal((await json("sync", "list")).syncs[0].is_paused, false);
  assert.match((await rungs("sync", "run", "none")).err, /There is no sync none/);
});

test(`R78 the password is in no list, log, database, backup or process list (${MAIL_SERVER})`, async (t) => {
  const child = start(["sync", "watch"], env);
  t.after(() => child.kill("SIGTERM"));
  const outputs = await Promise.all([
    rungs("sync", "list", "--json"),
    rungs("sync", "log", "box", "--json"),
    rungs("doctor"),
  ]);
  await rungs("backup", join(folder, "home", "backup.db"));
  const processes = execFileSync("ps", ["axww"], { encoding: "utf8" });
  const texts = [...outputs.flatMap(({ out, err }) => [out, err]), processes];
  const home = join(folder, "home");
  for (const name of readdirSync(home)) {
    const file = join(home, name);
    if (statSync(file).isFile()) texts.push(readFileSync(file, "latin1"));
  }
  for (const text of texts) assert.ok(!text.includes(PASSWORD));
  const key = join(home, "sources.key");
  assert.equal(statSync(key).mode & 0o777, 0o600);
  const secret = readFileSync(key, "utf8").trim();
  for (const text of texts.filter((text) => text.trim() !== secret)) assert.ok(!text.includes(secret));
});

test(`a password is replaced only by one that works, and a removed sync leaves its records (${MAIL_SERVER})`, async () => {
  assert.match(
    (await rungs("sync", "password", "box", "--password-env", "WRONG")).err,
    /refused the sign-in/,
  );
  const changed = await rungs("sync", "password", "box", "--password-env", "MAIL_PASSWORD");
  assert.match(changed.out, /has a new password/);
  assert.match((await rungs("sync", "remove", "box")).out, /records stay/);
  assert.deepEqual((await json("sync", "list")).syncs, []);
  assert.match((await rungs("connections")).out, /box.*messages/s);
});
