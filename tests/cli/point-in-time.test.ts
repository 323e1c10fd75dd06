/** PostgreSQL's own backups, as docs/operating.md has them: a base backup and the archived log give the state of any moment. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, manyNotes } from "../../testing/cli/notes-home.ts";
import { startOwnPostgres } from "../../testing/postgres.ts";
import { until } from "../../testing/until.ts";

const manifest = new URL("../../examples/notes/manifest.json", import.meta.url).pathname;

test("a base backup and the log restore PostgreSQL to a moment, by digest, and rungs restore then keeps revocations", async (t) => {
  const notes = await createNotesHome();
  t.after(() => notes.remove());
  // The server may run as another user.
  const archive = mkdtempSync(join(tmpdir(), "rungs-archive-"));
  chmodSync(archive, 0o777);
  t.after(() => rmSync(archive, { recursive: true, force: true }));
  const archiving = `-c archive_mode=on -c archive_command='cp %p ${archive}/%f'`;
  const primary = await startOwnPostgres({ settings: archiving });
  const client = new pg.Client(primary.url);
  t.after(() => client.end().then(() => primary.stop()));
  await client.connect();
  const query = async (statement: string) =>
    Object.values((await client.query(statement)).rows[0])[0] as string;

  const run = async (url: string, ...argv: string[]) => {
    const { code, out, err } = await rungsHere([...argv, "--database", url], notes.env);
    assert.equal(code, 0, `${argv.join(" ")}: ${err}`);
    return out;
  };
  const bring = (file: string) =>
    run(primary.url, "import", file, "--as", "records", "--manifest", manifest, "--connection", "notes");
  let copies = 0;
  const digest = async (url: string) => {
    copies += 1;
    return JSON.parse(await run(url, "copy", "--to", join(notes.folder, `copy-${copies}.db`), "--json"))
      .tables;
  };

  await bring(join(notes.folder, "records.ndjson"));
  const base = join(archive, "base");
  await primary.tool("pg_basebackup", "-D", base, "-d", primary.url, "-c", "fast");
  const more = join(notes.folder, "more.ndjson");
  writeFileSync(more, manyNotes(20));
  await bring(more);
  const granted = await run(
    primary.url,
    "grant",
    "create",
    "--client",
    "late",
    "--allow",
    "notes/notes",
    "--json",
  );
  const { token, grant } = JSON.parse(granted) as { token: string; grant: { grant_id: string } };
  const expected = await digest(primary.url);
  const moment = await query("SELECT clock_timestamp()::text");
  await setTimeout(20);
  await run(primary.url, "grant", "revoke", grant.grant_id);
  await run(primary.url, "delete", "notes", "--confirm", "notes");
  const segment = await query("SELECT pg_walfile_name(pg_switch_wal())");
  await until(() => existsSync(join(archive, segment)));

  const settings = `restore_command = 'cp ${archive}/%f %p'
recovery_target_time = '${moment}'
recovery_target_action = promote
`;
  const restored = await startOwnPostgres({
    prepare: (data) => {
      renameSync(base, data);
      writeFileSync(join(data, "postgresql.auto.conf"), settings, { flag: "a" });
      writeFileSync(join(data, "recovery.signal"), "");
    },
  });
  t.after(() => restored.stop());
  await until(() => isPromoted(restored.url));
  assert.deepEqual(await digest(restored.url), expected);
  const read = (url: string) =>
    rungsHere(["search", "word7", "--database", url], { ...notes.env, RUNGS_TOKEN: token });
  assert.equal((await read(restored.url)).code, 0, "access went back in time too");
  assert.notEqual((await read(primary.url)).code, 0);

  // rungs restore carries over access and deletions from the former database while that is still readable.
  const backup = join(notes.folder, "moment.db");
  await run(restored.url, "backup", backup);
  await client.query("CREATE DATABASE again");
  const again = primary.url.replace("/postgres?", "/again?");
  await run(again, "restore", backup, "--access-from", primary.url, "--with-deleted");
  assert.match((await read(again)).err, /ended|revoked|no longer/);
  assert.match(await run(again, "connections"), /notes/);
});

async function isPromoted(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query("SELECT pg_is_in_recovery() AS waits");
  await client.end();
  return !rows[0]?.waits;
}
