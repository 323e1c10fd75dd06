import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { removeLeftUploads } from "./upload-folder.ts";

test("uploads of ended processes are removed; those of running processes and other folders stay", async () => {
  const place = mkdtempSync(join(tmpdir(), "rungs-left-"));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = place;
  const { pid: ended } = spawnSync(process.execPath, ["--version"]);
  const make = (name: string) => {
    mkdirSync(join(place, name));
    writeFileSync(join(place, name, "mail.mbox"), "private");
    return join(place, name);
  };
  try {
    const gone = [make(`rungs-upload-${ended}-aB3xYz`), make(`rungs-upload-${process.pid}-aB3xYz`)];
    const kept = [make(`rungs-upload-${process.ppid}-aB3xYz`), make(`rungs-upload-${ended}`), make("other")];
    symlinkSync(kept[2]!, join(place, `rungs-upload-${ended}-aaaaaa`));
    await removeLeftUploads();
    for (const folder of gone) assert.equal(existsSync(folder), false, folder);
    for (const folder of kept) assert.equal(existsSync(join(folder, "mail.mbox")), true, folder);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(place, { recursive: true });
  }
});
