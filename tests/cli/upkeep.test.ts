/** Maintenance: doctor, backup and audit. */
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, cpSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openSqlite } from "@rungs/store/sqlite";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, type NotesHome } from "../../testing/cli/notes-home.ts";
import { rungs } from "../../testing/cli/program.ts";
import { createTestDatabase } from "../../testing/postgres.ts";

let home: NotesHome;
before(async () => {
  home = await createNotesHome();
});
after(() => home?.remove());

const database = () => join(home.env.RUNGS_HOME!, "rungs.db");
const examine = async (argv: string[], env = home.env) => {
  const ran = await rungsHere(["doctor", "--json", ...argv], env);
  const { ok, findings } = JSON.parse(ran.out) as {
    ok: boolean;
    findings: { name: string; ok: boolean; message: string; next?: string }[];
  };
  return { code: ran.code, ok, findings, wrong: findings.filter((each) => !each.ok) };
};

test("doctor reports a healthy installation", async () => {
  const { code, ok, findings } = await examine([]);
  assert.deepEqual([code, ok], [0, true], JSON.stringify(findings));
  assert.deepEqual(
    findings.map(({ name }) => name),
    ["home", "file", "database", "records", "audit", "grants", "token"],
  );
  const { code: exit, out } = await rungs(["doctor"], home.env);
  assert.equal(exit, 0);
  assert.match(out, /ok +token +the token is valid/);
});

test("doctor reports problems and how to fix them", async () => {
  chmodSync(home.env.RUNGS_HOME!, 0o755);
  const open = await examine([]);
  chmodSync(home.env.RUNGS_HOME!, 0o700);
  assert.deepEqual([open.code, open.wrong.length], [1, 1]);
  assert.match(open.wrong[0]!.next!, /^Run chmod 700 /);
  const stranger = await examine([], { ...home.env, RUNGS_TOKEN: "unknown" });
  assert.match(stranger.wrong[0]!.message, /unknown or no longer valid/);
  const nowhere = await examine(["--home", join(home.folder, "nowhere")]);
  assert.match(nowhere.wrong[0]!.message, /there is none/);
  assert.ok(!existsSync(join(home.folder, "nowhere")));
  const noise = join(home.folder, "noise.db");
  writeFileSync(noise, "no database at all, but long enough to be read as one".repeat(40), { mode: 0o600 });
  assert.match((await examine(["--database", noise])).wrong[0]!.message, /not a database/);
  const newer = join(home.folder, "newer.db");
  copyFileSync(database(), newer);
  const raw = new DatabaseSync(newer);
  raw.exec("PRAGMA user_version = 999; DELETE FROM blocks");
  raw.close();
  assert.match((await examine(["--database", newer])).wrong.at(-1)!.message, /newer/);
});

test("doctor --fix repairs permissions, a killed server's note and the index, and says so", async () => {
  const at = join(home.folder, "broken");
  cpSync(home.env.RUNGS_HOME!, at, { recursive: true });
  const note = join(at, "server.json");
  writeFileSync(note, JSON.stringify({ pid: 2 ** 22 + 1, url: "http://127.0.0.1:1", home: at }));
  const env = { ...home.env, RUNGS_HOME: at };
  const search = async () =>
    (await rungsHere(["search", "bread", "--json"], env)).out.replace(/"request_id":"[^"]*"/, "");
  const before = await search();
  const raw = new DatabaseSync(join(at, "rungs.db"));
  raw.exec("DELETE FROM blocks");
  raw.close();
  chmodSync(at, 0o755);
  const broken = await examine([], env);
  assert.deepEqual([broken.code, broken.wrong.at(-1)?.next], [1, "Run rungs doctor --fix"]);
  chmodSync(at, 0o755);
  const fixed = await examine(["--fix"], env);
  assert.deepEqual([fixed.code, fixed.wrong], [0, []]);
  assert.match(
    JSON.stringify(fixed.findings),
    /others could read.*which repaired: an index segment has no blocks/s,
  );
  assert.deepEqual([statSync(at).mode & 0o777, existsSync(note)], [0o700, false]);
  assert.deepEqual(await search(), before);
  assert.equal((await examine([], env)).code, 0);
});

test("doctor checks PostgreSQL too", async () => {
  const { url, drop } = await createTestDatabase();
  const { code, findings } = await examine(["--database", url], {});
  await drop();
  assert.deepEqual([code, findings[0]?.message], [0, "postgres opens"]);
});

test("backup copies a database during writes, and the copy gives the same answers", async () => {
  const store = await openSqlite(database());
  const [owner_id = ""] = await store.listOwners();
  let [written, isDone] = [0, false];
  const writing = (async () => {
    while (!isDone) {
      const id = `new-${written}`;
      const data = { id, text: "written meanwhile" };
      await store.ingest(owner_id, "notes", [
        { stream: "notes", key: id, emitted_at: "2026-06-02T00:00:00Z", data },
      ]);
      written += 1;
      await setTimeout(2);
    }
  })();
  const copy = join(home.folder, "copy.db");
  const made = await rungs(["backup", copy, "--json"], home.env);
  isDone = true;
  await writing;
  await store.close();
  assert.equal(made.code, 0, made.err);
  assert.equal(JSON.parse(made.out).size_bytes, statSync(copy).size);
  assert.equal(statSync(copy).mode & 0o777, 0o600);
  assert.ok(written > 0);
  const argv = ["search", "hojicha", "--json"];
  const [here, there] = [
    await rungsHere(argv, home.env),
    await rungsHere([...argv, "--database", copy], home.env),
  ];
  assert.deepEqual(JSON.parse(there.out).data, JSON.parse(here.out).data);
  assert.equal((await examine(["--database", copy])).ok, true);
  assert.deepEqual(
    readdirSync(home.folder).filter((name) => name.includes(".part")),
    [],
  );
});

test("connections --json writes every time as RFC 3339", async () => {
  const { out } = await rungsHere(["connections", "--json"], home.env);
  const [{ streams }] = JSON.parse(out).connections;
  const { time_range, last_updated } = streams.find((each: { time_range?: object }) => each.time_range);
  for (const time of [time_range.first, time_range.last, last_updated])
    assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test("backup overwrites nothing, and reports a missing database", async () => {
  for (const [argv, words] of [
    [["backup", database()], /exists already/],
    [["backup", join(home.folder, "nowhere", "copy.db")], /The folder .*nowhere does not exist: create it/],
    [["backup", "x", "--home", join(home.folder, "nowhere")], /no database/],
  ] as const) {
    const { code, err } = await rungsHere(argv, home.env);
    assert.deepEqual([code, words.test(err)], [2, true], err);
  }
});

test("backup of an unreachable PostgreSQL leaves nothing behind and prints no password", async () => {
  const file = join(home.folder, "unreached.db");
  const address = "postgres://user:secret@127.0.0.1:1/db";
  const { code, err } = await rungsHere(["backup", file, "--database", address], home.env);
  assert.ok(code !== 0 && /cannot be opened/.test(err) && !err.includes("secret"), err);
  assert.deepEqual(
    readdirSync(home.folder).filter((name) => name.startsWith("unreached")),
    [],
  );
});

test("R55 audit lists what a client read last week, page by page, and escapes control characters", async () => {
  for (const query of ["hojicha", "tea", "derailleur"]) await rungsHere(["search", query], home.env);
  const list = (...argv: string[]) =>
    rungsHere(["audit", "--client", "shell", "--since", "7d", ...argv], home.env);
  const all = JSON.parse((await list("--json")).out).reads;
  assert.ok(all.length >= 3);
  const first = JSON.parse((await list("--limit", "2", "--json")).out);
  const rest = JSON.parse((await list("--before", String(first.next_before), "--json")).out);
  assert.deepEqual([...first.reads, ...rest.reads], all);
  assert.match((await list("--limit", "2")).out, /There are more: repeat the command with --before \d+$/);
  assert.ok(!(await list()).out.includes("There are more"));
  assert.deepEqual(
    JSON.parse((await rungsHere(["audit", "--client", "other", "--json"], home.env)).out).reads,
    [],
  );
  const odd = await rungsHere(
    ["grant", "create", "--client", "red \u001b[31m", "--allow", "notes/*"],
    home.env,
  );
  assert.equal(odd.code, 0);
  assert.match((await rungsHere(["grant", "list"], home.env)).out, /red \\u\{1b\}\[31m/);
});
