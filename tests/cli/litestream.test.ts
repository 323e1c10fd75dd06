/** Litestream with `deploy/litestream/litestream.yml`, as docs/operating.md has it. It runs where its program is installed. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, manyNotes } from "../../testing/cli/notes-home.ts";
import { COMPILE_CACHE, type Env, MAIN } from "../../testing/cli/program.ts";
import { until } from "../../testing/until.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const CONFIG = join(ROOT, "deploy/litestream/litestream.yml");
const MANIFEST = join(ROOT, "examples/notes/manifest.json");
const WORD = "derailleur";

const onPath = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "litestream"));
/** The program itself; npm's script in `.bin` does not forward signals. */
const LITESTREAM = [
  ...globSync(join(ROOT, "node_modules/@flydotio/litestream-*/litestream")),
  ...onPath,
].find((file) => existsSync(file));
const skip =
  LITESTREAM === undefined && "Litestream is not installed: npm install --no-save @flydotio/litestream";

/** A home with notes, and Litestream's command lines for it. */
async function createReplicated(t: TestContext) {
  const notes = await createNotesHome();
  t.after(() => notes.remove());
  const home = notes.env.RUNGS_HOME as string;
  const replica = join(notes.folder, "replica");
  const env = { RUNGS_HOME: home, LITESTREAM_REPLICA: `file://${replica}` };
  let said = "";
  return {
    notes,
    home,
    replica,
    file: join(home, "rungs.db"),
    said: () => said,
    replicate(): ChildProcess {
      const program = spawn(LITESTREAM as string, ["replicate", "-config", CONFIG], { env });
      for (const stream of [program.stdout, program.stderr])
        stream.on("data", (chunk: Buffer) => {
          said += chunk;
        });
      t.after(() => program.kill("SIGKILL"));
      return program;
    },
    async restore(to: string): Promise<string> {
      rmSync(to, { force: true });
      const argv = ["restore", "-config", CONFIG, "-o", to, join(home, "rungs.db")];
      await promisify(execFile)(LITESTREAM as string, argv, { env });
      return to;
    },
  };
}

async function run(argv: readonly string[], env: Env): Promise<string> {
  const { code, out, err } = await rungsHere(argv, env);
  assert.equal(code, 0, `${argv.join(" ")}: ${err} ${out}`);
  return out;
}

async function kill(program: ChildProcess): Promise<void> {
  const ended = once(program, "exit");
  program.kill("SIGKILL");
  await ended;
}

const bring = (file: string) => [
  "import",
  file,
  "--as",
  "records",
  "--manifest",
  MANIFEST,
  "--connection",
  "notes",
];

/** The digest of each table, of a copy that is then removed. */
async function digestOf(file: string, env: Env): Promise<unknown> {
  const copy = `${file}.copy`;
  const { tables } = JSON.parse(await run(["copy", "--database", file, "--to", copy, "--json"], env));
  rmSync(copy);
  return tables;
}

test("R73 Litestream's copy restores the database as it was, by digest, and rungs restore keeps revocations", {
  skip,
}, async (t) => {
  const { notes, home, file, replicate, restore } = await createReplicated(t);
  const { env } = notes;
  const litestream = replicate();
  const more = join(notes.folder, "more.ndjson");
  writeFileSync(more, manyNotes(40));
  await run(bring(more), env);
  await run(["search", WORD], env);
  const granted = await run(["grant", "create", "--client", "late", "--allow", "notes/notes", "--json"], env);
  const { token, grant } = JSON.parse(granted) as { token: string; grant: { grant_id: string } };
  const expected = await digestOf(file, env);
  const restored = join(notes.folder, "restored.db");
  const isThere = async () => {
    await restore(restored).catch(() => undefined);
    return existsSync(restored) && JSON.stringify(await digestOf(restored, env)) === JSON.stringify(expected);
  };
  await until(isThere);
  assert.match((await rungsHere(["restore", restored, "--replace"], env)).err, /open|uses|holds/);
  await kill(litestream);
  await run(["grant", "revoke", grant.grant_id], env);
  await run(["restore", restored, "--replace"], env);
  const read = (where: Env) => rungsHere(["search", "word7"], { ...where, RUNGS_TOKEN: token });
  assert.notEqual((await read(env)).code, 0, "the grant stays revoked");
  assert.match(await run(["search", "word7"], env), /word7/);

  // The machine is lost: the current access is unknown.
  rmSync(home, { recursive: true });
  await run(["restore", await restore(restored)], env);
  assert.notEqual((await read(env)).code, 0);
  assert.match(await run(["connections"], env), /^notes .* 47 /m);
});

test("R73 killing a server and Litestream during an import leaves a sound copy that replication continues", {
  skip,
}, async (t) => {
  const { notes, home, file, replica, replicate, restore } = await createReplicated(t);
  const litestream = replicate();
  const more = join(notes.folder, "more.ndjson");
  writeFileSync(more, manyNotes(20_000));
  const { PATH = "" } = process.env;
  const program = spawn(process.execPath, ["--conditions=rungs-source", MAIN, ...bring(more)], {
    env: { PATH, ...COMPILE_CACHE, ...notes.env },
    stdio: "ignore",
  });
  t.after(() => program.kill("SIGKILL"));
  await until(() => program.exitCode !== null || sizeOf(replica) > 400_000);
  assert.equal(program.exitCode, null, "the import was faster than the kill");
  await Promise.all([kill(litestream), kill(program)]);
  const restored = await restore(join(notes.folder, "restored.db"));
  rmSync(home, { recursive: true });
  await run(["restore", restored], notes.env);
  await run(["doctor"], { RUNGS_HOME: home });
  await run(bring(more), notes.env);
  assert.match(await run(["connections"], notes.env), /^notes .* 20007 /m);
  assert.ok(existsSync(file));
});

test("R95 Litestream copies nothing of an encrypted database, and rungs encrypt names its leftovers", {
  skip,
}, async (t) => {
  const { notes, home, replica, replicate, restore, said } = await createReplicated(t);
  const { env } = notes;
  const litestream = replicate();
  await until(() => sizeOf(replica) > 0);
  await kill(litestream);
  const told = await run(["encrypt", "--key-file", join(notes.folder, "key")], env);
  const left = join(home, ".rungs.db-litestream");
  assert.ok(told.includes(`Still plain: ${left}. Delete it, and the copies that Litestream made.`), told);
  for (const folder of [left, replica]) rmSync(folder, { recursive: true });
  const again = replicate();
  await until(() => said().includes("file is not a database"));
  await kill(again);
  assert.equal(existsSync(replica), false);
  await assert.rejects(restore(join(notes.folder, "restored.db")), { stdout: /no matching backups/ });
  assert.doesNotMatch((await rungsHere(["doctor"], env)).out, /plain copies/);
});

function sizeOf(folder: string): number {
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
