/** Running and past imports: recorded, listed, stopped, on both engines. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  ensureOwner,
  findImportRun,
  type ImportRun,
  isImportRunning,
  listImportRuns,
  recordImport,
  stopImport,
} from "@rungs/server";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { testOnEachEngine } from "../../testing/engines.ts";

testOnEachEngine(
  "an import is listed while it runs and when it has ended, newest first",
  async ({ store }) => {
    let now_ms = Date.parse("2026-05-01T10:00:00Z");
    const owner = { store, owner_id: await ensureOwner(store), now: () => now_ms };
    const first = await recordImport(owner, { name: "mail.mbox", origin: "command" });
    now_ms += 1000;
    const second = await recordImport(owner, { name: "chat.zip", origin: "upload" });
    assert.deepEqual(
      (await listImportRuns(owner)).map(({ name, state }) => [name, state]),
      [
        ["chat.zip", "running"],
        ["mail.mbox", "running"],
      ],
    );
    const rejections = Array.from({ length: 80 }, (_, at) => ({
      place: `row ${at}`,
      message: "no",
      code: "x",
    }));
    const imported = { connection_id: "mail", added: 3, changed: 0, unchanged: 1, rejected: 80, rejections };
    const left_out = [{ path: "a.exe", reason: "It has no known format." }];
    await first.end({ state: "done", imports: [imported], left_out });
    await second.fail(new Error("a secret of the file"));
    const done = await findImportRun(owner, first.import_id);
    assert.ok(done);
    assert.deepEqual([done.state, done.imports[0]?.added, done.left_out_count], ["done", 3, 1]);
    assert.deepEqual([done.imports[0]?.rejected, done.imports[0]?.rejections.length], [80, 50]);
    assert.deepEqual(done.imports[0]?.rejections[0], { place: "row 0", message: "no" });
    const failed = await findImportRun(owner, second.import_id);
    assert.equal(failed?.state, "failed");
    assert.doesNotMatch(JSON.stringify(failed), /secret/);
    assert.equal(isImportRunning(done), false);
  },
);

testOnEachEngine(
  "a request to stop reaches the running import, and a silent one is called interrupted",
  async ({ store }) => {
    let now_ms = Date.now();
    const owner = { store, owner_id: await ensureOwner(store), now: () => now_ms };
    const recorder = await recordImport(owner, { name: "a", origin: "command" });
    recorder.report({ read_bytes: 1, total_bytes: 2, items: 1, path: "a/b" });
    const stopped = new Promise((resolve) => recorder.stop.addEventListener("abort", resolve));
    await stopImport(owner, recorder.import_id);
    const alive = setInterval(() => undefined, 1000);
    await stopped;
    clearInterval(alive);
    assert.equal((await findImportRun(owner, recorder.import_id))?.progress.path, "a/b");
    now_ms += 61_000;
    assert.equal((await findImportRun(owner, recorder.import_id))?.state, "interrupted");
    await recorder.end({ state: "stopped", imports: [] });
    assert.equal((await findImportRun(owner, recorder.import_id))?.state, "stopped");
    assert.equal(await findImportRun(owner, "other"), undefined);
  },
);

test("rungs imports lists what rungs import did, and not a dry run", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-history-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const env = { RUNGS_HOME: join(folder, "home") };
  const file = join(folder, "spend.csv");
  writeFileSync(file, "id,what\n1,tea\n2,rice\n");
  await rungsHere(["login-link"], env);
  assert.match((await rungsHere(["imports"], env)).out, /Nothing was imported yet/);
  await rungsHere(["import", file, "--dry-run"], env);
  await rungsHere(["import", file], env);
  const { imports } = JSON.parse((await rungsHere(["imports", "--json"], env)).out);
  assert.equal(imports.length, 1);
  assert.deepEqual([imports[0].name, imports[0].state, imports[0].imports[0].added], [file, "done", 2]);
  assert.match((await rungsHere(["imports"], env)).out, /done +2 +0 +0 +0 +0 +\S*spend\.csv/);
});

test("the detected formats of a folder, and its left-out files, are listed once", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-history-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const env = { RUNGS_HOME: join(folder, "home") };
  const exports = join(folder, "exports");
  mkdirSync(exports);
  writeFileSync(join(exports, "spend.csv"), "id,what\n1,tea\n2,rice\n");
  writeFileSync(join(exports, "ana.vcf"), "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:a\r\nFN:Ana\r\nEND:VCARD\r\n");
  writeFileSync(join(exports, "noise.bin"), Buffer.alloc(500));
  await rungsHere(["import", exports], env);
  const { imports } = JSON.parse((await rungsHere(["imports", "--json"], env)).out) as {
    imports: ImportRun[];
  };
  assert.equal(imports.length, 2);
  assert.deepEqual(
    imports.flatMap((run) => run.left_out.map(({ path }) => path)),
    ["noise.bin"],
  );
  const labels = imports.map(({ recognised = [] }) => recognised.map(({ label }) => label));
  assert.deepEqual(labels.flat().toSorted(), ["Table", "contacts (vCard)"]);
});
