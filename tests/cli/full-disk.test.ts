/** A full disk: one sentence, exit code 1, and no stored data is lost. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, manyNotes, type NotesHome } from "../../testing/cli/notes-home.ts";
import { BIN, rungs } from "../../testing/cli/program.ts";

const FULL =
  /^rungs: The disk is full: free some space and run the same command again; no stored data is lost\.$/;
const [MOUNT, UNMOUNT] = ["mount", "umount"];
const manifest = new URL("../../examples/notes/manifest.json", import.meta.url).pathname;

let home: NotesHome;
let small: string;
let isMounted = false;
before(async () => {
  home = await createNotesHome();
  small = join(home.folder, "small");
  mkdirSync(small);
  // Only root may mount, and not in every container.
  isMounted = spawnSync(MOUNT, ["-t", "tmpfs", "-o", "size=2m", "tmpfs", small]).status === 0;
});
after(() => {
  if (isMounted) spawnSync(UNMOUNT, [small]);
  home.remove();
});

test("a failed write to standard output is reported", { skip: !existsSync("/dev/full") }, async () => {
  const full = openSync("/dev/full", "w");
  const { PATH = "" } = process.env;
  const stdio = ["ignore", full, "pipe"] as const;
  const program = spawn(process.execPath, [BIN, "search", "hojicha"], {
    env: { PATH, ...home.env },
    stdio: [...stdio],
  });
  let err = "";
  program.stderr?.on("data", (chunk: Buffer) => {
    err += chunk;
  });
  const [code] = await once(program, "close");
  closeSync(full);
  assert.deepEqual([code, err], [1, "rungs: Standard output cannot be written (ENOSPC).\n"]);
});

describe("on a small disk", () => {
  const fill = () => writeFileSync(join(small, "fill"), Buffer.alloc(2_000_000));
  const free = () => rmSync(join(small, "fill"), { force: true });

  test("an export onto a full disk leaves no incomplete file, and works when there is room", async (context) => {
    if (!isMounted) return context.skip("no small disk can be mounted here");
    fill();
    const file = join(small, "all.ndjson");
    const large = await growNotes(home);
    const refused = await rungs(["export", "-o", file], large);
    assert.deepEqual([refused.code, existsSync(file)], [1, false], refused.err);
    assert.match(refused.err.trim(), FULL);
    free();
    assert.equal((await rungs(["export", "-o", file], large)).code, 0);
    rmSync(file);
  });

  test("an import onto a full disk keeps earlier records, and the database stays consistent", async (context) => {
    if (!isMounted) return context.skip("no small disk can be mounted here");
    free();
    const RUNGS_HOME = join(small, "home");
    const records = join(home.folder, "many.ndjson");
    writeFileSync(records, manyNotes(4_000));
    const bring = ["import", records, "--as", "records", "--manifest", manifest, "--connection", "notes"];
    const { code, err } = await rungs(bring, { RUNGS_HOME });
    assert.equal(code, 1, err);
    assert.match(err.trim(), FULL);
    assert.equal((await rungsHere(["doctor"], { RUNGS_HOME })).code, 0);
    const copied = await rungs(["copy", "--to", join(small, "copy.db")], home.env);
    assert.equal(copied.code, 1, copied.err);
    assert.match(copied.err, /disk is full/);
    const saved = await rungs(["backup", join(small, "backup.db")], home.env);
    assert.deepEqual([saved.code, existsSync(join(small, "backup.db"))], [1, false], saved.err);
  });
});

/** More notes than fit on the small disk. */
async function growNotes({ folder, env }: NotesHome) {
  const records = join(folder, "grow.ndjson");
  writeFileSync(records, manyNotes(200));
  const bring = ["import", records, "--as", "records", "--manifest", manifest, "--connection", "notes"];
  assert.equal((await rungsHere(bring, env)).code, 0);
  return env;
}
