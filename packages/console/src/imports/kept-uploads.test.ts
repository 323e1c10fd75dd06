import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createKeptUploads } from "./kept-uploads.ts";
import { createUploadFolder } from "./upload-folder.ts";

async function createUpload(name: string) {
  const folder = await createUploadFolder();
  return { folder, path: folder, name, label: undefined, format: undefined, is_look: true };
}

async function waitUntilGone(folder: string): Promise<void> {
  for (let at = 0; at < 200 && existsSync(folder); at += 1) await wait(10);
  assert.ok(!existsSync(folder));
}

test("a kept upload can be taken once, and stays on disk for its taker", async (context) => {
  const uploads = createKeptUploads();
  const upload = await createUpload("one");
  context.after(() => rm(upload.folder, { recursive: true, force: true }));
  uploads.keep("a", upload);
  assert.equal(uploads.find("a"), upload);
  assert.deepEqual([uploads.take("a"), uploads.take("a"), uploads.find("a")], [upload, undefined, undefined]);
  assert.ok(existsSync(upload.folder));
});

test("kept uploads expire, and the oldest are evicted if there are too many", async () => {
  const uploads = createKeptUploads(300);
  const all = [];
  for (const id of ["a", "b", "c", "d"]) {
    const upload = await createUpload(id);
    all.push(upload);
    uploads.keep(id, upload);
  }
  assert.equal(uploads.find("a"), undefined);
  assert.ok(uploads.find("d"));
  for (const { folder } of all) await waitUntilGone(folder);
  assert.equal(uploads.find("d"), undefined);
});
