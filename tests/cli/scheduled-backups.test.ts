/** Scheduled backups beside a server that keeps answering. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome } from "../../testing/cli/notes-home.ts";
import { COMPILE_CACHE, MAIN } from "../../testing/cli/program.ts";
import { until } from "../../testing/until.ts";

test("R73 a server backs up on schedule, keeps as many as asked, and each restores the data of its time", async (t) => {
  const notes = await createNotesHome();
  t.after(() => notes.remove());
  const search = async (env = notes.env) =>
    (await rungsHere(["search", "derailleur", "--json"], env)).out.replace(/"request_id":"[^"]*"/, "");
  const before = await search();
  const folder = join(notes.folder, "nightly");
  mkdirSync(folder);
  // Two old backups, and the remains of a killed one.
  for (const year of [2020, 2021])
    copyFileSync(join(notes.env.RUNGS_HOME ?? "", "rungs.db"), join(folder, `rungs-${year}0101T000000Z.db`));
  writeFileSync(join(folder, "rungs-20210102T000000Z.db.part"), "");
  const schedule = ["--backup-every", "24h", "--backup-to", folder, "--backup-keep", "2"];
  const server = spawn(
    process.execPath,
    ["--conditions=rungs-source", MAIN, "serve", "--port", "0", ...schedule],
    {
      env: { ...COMPILE_CACHE, ...notes.env },
    },
  );
  t.after(() => server.kill("SIGKILL"));
  const list = () => readdirSync(folder).sort();
  await until(() => list().length === 2 && list()[0] === "rungs-20210101T000000Z.db");
  const [, newest = ""] = list();
  assert.match(newest, /^rungs-\d{8}T\d{6}Z\.db$/);
  server.kill("SIGTERM");
  assert.deepEqual(await once(server, "exit"), [0, null]);
  const again = { ...notes.env, RUNGS_HOME: join(notes.folder, "again") };
  const restored = await rungsHere(["restore", join(folder, newest), "--keep-grants"], again);
  assert.equal(restored.code, 0, restored.err);
  assert.equal(await search(again), before);
  assert.ok(existsSync(join(again.RUNGS_HOME, "rungs.db")));
});

test("a schedule is validated before the server starts", async () => {
  for (const [option, value] of [
    ["--backup-every", "daily"],
    ["--backup-keep", "0"],
  ] as const) {
    const { code, err } = await rungsHere(["serve", option, value], { RUNGS_HOME: "/nowhere" });
    assert.equal(code, 2);
    assert.ok(err.includes(option), err);
  }
});
