/** A sealed PostgreSQL database: every command works on it, and copies that Rungs makes of it are encrypted. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inflateRawSync } from "node:zlib";
import pg from "pg";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, type NotesHome } from "../../testing/cli/notes-home.ts";
import { COMPILE_CACHE, type Env, MAIN } from "../../testing/cli/program.ts";
import { createTestDatabase } from "../../testing/postgres.ts";

const WORD = "zwetschgendatschi";
const PASSPHRASE = "five random words in a row";
const TABLES = ["chunks", "blocks", "vectors"];

let notes: NotesHome;
before(async () => {
  notes = await createNotesHome();
});
after(() => notes?.remove());

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

const search = async (env: Env) =>
  (await run(["search", WORD, "--json"], env)).replace(/"request_id":"[^"]*"/, "");

/** A database with the notes and a long one, and a folder for keys. */
async function createServed(name: string): Promise<{ env: Env; keys: string; drop(): Promise<void> }> {
  const { url, drop } = await createTestDatabase();
  await run(["copy", "--to", url], notes.env);
  const home = join(notes.folder, name);
  const keys = join(notes.folder, `${name}-keys`);
  mkdirSync(keys);
  const env = { ...notes.env, RUNGS_HOME: home, RUNGS_DATABASE: url };
  await importNote(env, "long");
  return { env, keys, drop };
}

async function importNote(env: Env, id: string): Promise<void> {
  const records = join(notes.folder, `${id}.ndjson`);
  const data = { id, title: "Kohlrabi", text: `${WORD} `.repeat(900) };
  const record = { stream: "notes", key: id, emitted_at: "2026-06-01T00:00:00Z", data };
  writeFileSync(records, JSON.stringify(record));
  const manifest = new URL("../../examples/notes/manifest.json", import.meta.url).pathname;
  await run(["import", records, "--as", "records", "--manifest", manifest, "--connection", "notes"], env);
}

/** The tables whose bodies contain the word, raw or inflated. */
async function listReadable(env: Env): Promise<string[]> {
  const client = new pg.Client({ connectionString: env.RUNGS_DATABASE });
  await client.connect();
  try {
    const readable: string[] = [];
    for (const table of TABLES) {
      const { rows } = await client.query<{ body: Buffer }>(`SELECT body FROM ${table}`);
      if (rows.some(({ body }) => body.includes(WORD) || inflate(body).includes(WORD))) readable.push(table);
    }
    return readable;
  } finally {
    await client.end();
  }
}

function inflate(body: Buffer): Buffer {
  try {
    return inflateRawSync(body);
  } catch {
    return Buffer.alloc(0);
  }
}

test("R96 a PostgreSQL database is sealed, rekeyed, moved to another keeper and opened, with the same answers", async (t) => {
  const { env, keys, drop } = await createServed("seal");
  t.after(drop);
  const before = await search(env);
  assert.match(before, new RegExp(WORD));
  assert.ok((await listReadable(env)).includes("chunks"));
  const file = join(keys, "one.key");
  assert.match(await run(["encrypt", "--key-file", file], env), /are sealed: \d+ rows were written again/);
  assert.deepEqual(await listReadable(env), []);
  assert.equal(await search(env), before);
  const with_passphrase = { ...env, RUNGS_PASSPHRASE: PASSPHRASE };
  assert.match(
    await run(["encrypt", "--passphrase"], { ...env, RUNGS_NEW_PASSPHRASE: PASSPHRASE }),
    /still sealed under the same key: 0 rows/,
  );
  rmSync(file);
  assert.equal(await search(with_passphrase), before);
  assert.match(await run(["encrypt", "--new-key"], with_passphrase), /sealed under a new key: \d+ rows/);
  assert.equal(await search(with_passphrase), before);
  assert.match(await refusal(["encrypt"], with_passphrase), /is sealed: add --passphrase/);
  const findings = await run(["doctor"], with_passphrase);
  assert.match(findings, /ok\s+encryption\s+long texts, files, index blocks and vectors are sealed/);
  await importNote(with_passphrase, "later");
  assert.deepEqual(await listReadable(env), []);
  assert.match(await run(["decrypt"], with_passphrase), /are opened/);
  assert.match(await run(["decrypt"], env), /are plain: 0 rows/);
  assert.ok((await listReadable(env)).includes("chunks"));
  assert.match(await search(env), /later/);
});

test("R96 a wrong key, a lost key and a database in use get clear messages", async (t) => {
  const { env, keys, drop } = await createServed("refused");
  t.after(drop);
  const file = join(keys, "one.key");
  await run(["encrypt", "--key-file", file], env);
  const key = readFileSync(file, "utf8");
  rmSync(file);
  assert.match(await refusal(["status"], env), /its key file .*one\.key does not exist\. Put it back/);
  writeFileSync(file, `${Buffer.alloc(32, 1).toString("base64url")}\n`);
  assert.match(await refusal(["status"], env), /The key in the key file does not open the database/);
  writeFileSync(file, key);
  // An import in a process that the server starts needs the key too.
  renameSync(file, join(keys, "moved.key"));
  const with_key = { ...env, RUNGS_KEY_FILE: join(keys, "moved.key") };
  const server = spawn(
    process.execPath,
    ["--conditions=rungs-source", MAIN, "serve", "--port", "0", "--json"],
    {
      env: { ...COMPILE_CACHE, ...with_key },
    },
  );
  t.after(() => server.kill("SIGKILL"));
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(String(line)) as { url: string };
  const headers = { authorization: `Bearer ${env.RUNGS_TOKEN}` };
  const answer = await fetch(`${url}/v1/search?q=${WORD}`, { headers });
  assert.match(await answer.text(), new RegExp(WORD));
  assert.match(
    await refusal(["encrypt", "--new-key"], with_key),
    /A server uses the database: .*Stop all servers/,
  );
  server.kill("SIGTERM");
  await once(server, "exit");
  await run(["encrypt", "--new-key"], with_key);
});

test("R96 backups and copies of a sealed database are encrypted, and restore into a sealed one", async (t) => {
  const { env, keys, drop } = await createServed("backed");
  t.after(drop);
  const before = await search(env);
  await run(["encrypt", "--key-file", join(keys, "one.key")], env);
  const files = [join(keys, "backup.db"), join(keys, "copy.db")] as const;
  await run(["backup", files[0]], env);
  await run(["copy", "--to", files[1]], env);
  for (const file of files) {
    assert.ok(existsSync(`${file}-key`));
    assert.equal(readFileSync(file).includes(WORD), false);
  }
  const other = await createTestDatabase();
  t.after(() => other.drop());
  const empty = { ...env, RUNGS_DATABASE: other.url };
  await run(["encrypt", "--key-file", join(keys, "two.key")], empty);
  await run(["restore", files[0], "--keep-grants"], empty);
  assert.deepEqual(await listReadable(empty), []);
  assert.equal(await search(empty), before);
});
