/**
 * Programs on an encrypted home are killed while they work: neither its files nor temporary files contain a word. A
 * plain home proves that the check finds one.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, type NotesHome } from "../../testing/cli/notes-home.ts";
import { COMPILE_CACHE, type Env, MAIN } from "../../testing/cli/program.ts";
import { makeDocx } from "../../testing/files/docx.ts";
import { PASSWORD, USER } from "../../testing/imap/mail-account.ts";
import { MAIL_SERVER, openMailbox, startMailServer } from "../../testing/imap/mail-server.ts";
import { describeStdio } from "../../testing/mcp/connect.ts";
import { Client, StdioClientTransport } from "../../testing/mcp/sdk.ts";
import { until } from "../../testing/until.ts";

const WORD = "zwetschgendatschi";
/** Includes words from the texts and titles of the notes. */
const WORDS = [WORD, "derailleur", "Sourdough", "清水寺", "of the log"];

let notes: NotesHome;
before(async () => {
  notes = await createNotesHome();
});
after(() => notes?.remove());

/** A home with a folder for temporary files beside it; nothing else is in the folder. */
interface Watched {
  readonly folder: string;
  readonly home: string;
  readonly env: Env;
}

/** Runs `work` on a plain home, and then on an encrypted one. */
async function onBoth(work: (watched: Watched) => Promise<void>, from?: string): Promise<void> {
  for (const isEncrypted of [false, true]) {
    const root = mkdtempSync(join(tmpdir(), "rungs-kills-"));
    const folder = join(root, "watched");
    const [home, TMPDIR] = [join(folder, "home"), join(folder, "tmp")];
    mkdirSync(TMPDIR, { recursive: true });
    if (from !== undefined) cpSync(from, home, { recursive: true });
    const env = { ...COMPILE_CACHE, RUNGS_HOME: home, TMPDIR };
    try {
      if (isEncrypted) await run(["encrypt", "--key-file", join(root, "key")], env);
      await work({ folder, home, env });
      assert.equal(listReadable(folder).length > 0, !isEncrypted, listReadable(folder).join());
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
}

async function run(argv: readonly string[], env: Env): Promise<string> {
  const { code, out, err } = await rungsHere(argv, env);
  assert.equal(code, 0, `${argv.join(" ")}: ${err} ${out}`);
  return out;
}

function startMain(argv: readonly string[], env: Env): ChildProcess {
  const { PATH = "" } = process.env;
  return spawn(process.execPath, ["--conditions=rungs-source", MAIN, ...argv], {
    env: { PATH, ...env },
    stdio: "ignore",
  });
}

async function kill(program: ChildProcess): Promise<void> {
  const ended = program.exitCode === null && program.signalCode === null ? once(program, "exit") : undefined;
  program.kill("SIGKILL");
  await ended;
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

const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0);

/** Kills a program once the write-ahead log has grown by this much; false if the program ended first. */
async function killAtGrowth(program: ChildProcess, home: string, bytes: number): Promise<boolean> {
  const log = join(home, "rungs.db-wal");
  const start = sizeOf(log);
  await until(() => program.exitCode !== null || sizeOf(log) > start + bytes);
  await kill(program);
  return program.signalCode === "SIGKILL";
}

/** A message with text, a text file and a document. */
function writeMail(at: number): string {
  const file = (type: string, name: string, bytes: Uint8Array) => [
    "--b",
    `Content-Type: ${type}; name="${name}"`,
    "Content-Transfer-Encoding: base64",
    `Content-Disposition: attachment; filename="${name}"`,
    "",
    Buffer.from(bytes).toString("base64"),
  ];
  const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  return [
    "From: Bob Example <bob@example.org>",
    "To: Ada <ada@example.org>",
    `Subject: ${WORD} ${at}`,
    `Message-ID: <${at}@x>`,
    "Date: Mon, 02 Jan 2023 10:00:00 +0000",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain; charset=utf-8",
    "",
    `${WORD} ${at} `.repeat(400),
    ...file("text/plain", `${at}.txt`, Buffer.from(`${WORD} in a file, ${at} `.repeat(200))),
    ...(at % 10 === 0 ? file(docx, `${at}.docx`, makeDocx([`${WORD} in a document ${at}`])) : []),
    "--b--",
    "",
  ].join("\r\n");
}

test(`R95 a killed sync leaves no plain text, and neither does the next one (${MAIL_SERVER})`, async (t) => {
  const server = await startMailServer();
  t.after(() => server.stop());
  const box = await openMailbox(server);
  for (let at = 0; at < 120; at += 1) await box.append("INBOX", writeMail(at));
  await box.logout();
  await onBoth(async ({ folder, home, env }) => {
    const with_password = { ...env, MAIL_PASSWORD: PASSWORD };
    const address = `imap+plain://${USER}@127.0.0.1:${server.port}`;
    await run(
      ["sync", "add", "imap", address, "--id", "box", "--password-env", "MAIL_PASSWORD"],
      with_password,
    );
    for (const bytes of [10_000, 300_000]) {
      const killed = await killAtGrowth(startMain(["sync", "run", "box"], env), home, bytes);
      assert.ok(killed, "the sync was faster than the kill");
      if (existsSync(join(home, "rungs.db-key"))) assert.deepEqual(listReadable(folder), []);
    }
    assert.match(await run(["sync", "run", "box"], env), /^box: done/);
    assert.match(await run(["connections"], env), /box .*messages +120 /);
  });
});

test("R95 a killed import leaves no plain text", async (t) => {
  const source = mkdtempSync(join(tmpdir(), "rungs-mails-"));
  t.after(() => rmSync(source, { recursive: true }));
  const mbox = join(source, "kept.mbox");
  const mails = Array.from(
    { length: 150 },
    (_, at) => `From bob@example.org Mon Jan  2 10:00:00 2023\n${writeMail(at).replaceAll("\r\n", "\n")}`,
  );
  writeFileSync(mbox, mails.join("\n"));
  await onBoth(async ({ folder, home, env }) => {
    const killed = await killAtGrowth(startMain(["import", mbox], env), home, 200_000);
    assert.ok(killed, "the import was faster than the kill");
    if (existsSync(join(home, "rungs.db-key"))) assert.deepEqual(listReadable(folder), []);
    await run(["import", mbox], env);
  });
});

test("R95 a program killed while an agent reads through MCP leaves no plain text", async () => {
  await onBoth(async ({ folder, home, env }) => {
    const client = new Client({ name: WORD, version: "1.0.0" });
    // Its name is in each row of the audit journal.
    const grant = ["grant", "create", "--client", `${WORD}-client`, "--allow", "notes/notes:title,text"];
    const { token: RUNGS_TOKEN } = JSON.parse(await run([...grant, "--json"], env)) as { token: string };
    const transport = new StdioClientTransport({
      ...describeStdio({ ...env, RUNGS_TOKEN }),
      stderr: "ignore",
    });
    await client.connect(transport);
    const pid = transport.pid as number;
    let answers = 0;
    const read = async (q: string) => {
      for (;;) {
        const { isError } = await client.callTool({ name: "search", arguments: { q } });
        assert.ok(!isError);
        answers += 1;
      }
    };
    const reads = ["derailleur kohlrabi", WORD, "清水寺", "log line"].map((q) =>
      read(q).catch(() => undefined),
    );
    await until(() => answers > 12);
    process.kill(pid, "SIGKILL");
    await Promise.all(reads);
    await client.close().catch(() => undefined);
    assert.ok(sizeOf(join(home, "rungs.db-notes-wal")) > 0, "the audit journal has the newest reads");
    if (existsSync(join(home, "rungs.db-key"))) assert.deepEqual(listReadable(folder), []);
    assert.match(await run(["audit"], env), /search/);
  }, notes.env.RUNGS_HOME);
});

test("R95 a killed backup leaves no plain text", async () => {
  await onBoth(async ({ folder, home, env }) => {
    const program = startMain(["backup"], env);
    const backups = join(home, "backups");
    await until(
      () =>
        program.exitCode !== null ||
        (existsSync(backups) && readdirSync(backups).some((name) => sizeOf(join(backups, name)) > 0)),
    );
    await kill(program);
    assert.ok(readdirSync(backups).length > 0);
    if (existsSync(join(home, "rungs.db-key"))) assert.deepEqual(listReadable(folder), []);
    await run(["backup"], env);
  }, notes.env.RUNGS_HOME);
});
