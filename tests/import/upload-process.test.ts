/** Uploads to the console run in a process that the server can kill. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createUploadProcess } from "rungs/internal/upload-process";
import { writeLooping } from "../../testing/cli/looping.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-upload-test-"));
after(() => rmSync(folder, { recursive: true }));

const looping = writeLooping(folder);

const talk = (uuid: string, name: string) => ({
  uuid,
  name,
  created_at: "2026-03-01T10:00:00Z",
  chat_messages: [],
});

function prepare(name: string, seconds: string) {
  const place = { kind: "sqlite", file: join(folder, `${name}.db`) } as const;
  const env = {
    PATH: process.env.PATH,
    NODE_OPTIONS: `--import=${pathToFileURL(looping)}`,
    RUNGS_IMPORT_ITEM_SECONDS: seconds,
  };
  const path = join(folder, `${name}.json`);
  return { path, importFile: createUploadProcess(place, "owner", env) };
}

test("R75 an item of an upload that never finishes is reported; the server answers meanwhile", async () => {
  const { path, importFile } = prepare("stuck", "1");
  writeFileSync(path, JSON.stringify([talk("a", "Tea"), talk("x", "read for ever"), talk("never", "Tea")]));
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 20);
  const stop = new AbortController().signal;
  const { state, imports } = await importFile({ path, label: "My talks", stop }, () => undefined);
  clearInterval(timer);
  assert.ok(turns > 20, `${turns} turns of the event loop`);
  assert.equal(state, "done");
  const [only] = imports;
  assert.deepEqual([imports.length, only?.connection_id, only?.added], [1, "claude-stuck", 1]);
  assert.deepEqual(
    only?.rejections.map(({ place, message }) => [place, message]),
    [
      [
        "stuck.json",
        "Reading an item of this file took longer than 1 seconds. The rest of the file was left out.",
      ],
    ],
  );
});

test("R75 stopping an upload interrupts an item that never finishes, and what was stored stays", async () => {
  const { path, importFile } = prepare("stopped", "600");
  writeFileSync(path, JSON.stringify([talk("x", "read for ever")]));
  const controller = new AbortController();
  const ended = importFile({ path, stop: controller.signal }, () => undefined);
  setTimeout(() => controller.abort(), 1_500);
  assert.deepEqual(await ended, { state: "stopped", imports: [] });
});

test("an upload of no known format is refused with the same words as on the command line", async () => {
  const { path, importFile } = prepare("noise", "600");
  writeFileSync(path, Buffer.alloc(5000));
  await assert.rejects(
    importFile({ path, stop: new AbortController().signal }, () => undefined),
    {
      code: "unknown_format",
      message: /^noise\.json has no known format\. Known formats: chatgpt/,
    },
  );
});
