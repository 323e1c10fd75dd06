import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  makeDownloadedNotes,
  makeNoteData,
  makeNoteStore,
  SCAN_PATH,
} from "../../../../testing/files/note-store.ts";
import { sortFiles } from "../detect/sort-files.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { importers } from "../importers.ts";
import { readAll } from "../read-all.test.ts";
import { appleNotes } from "./apple-notes.ts";
import { readNoteBody } from "./note-body.ts";

const store = {
  "notes/NoteStore.sqlite": makeNoteStore(),
  [`notes/${SCAN_PATH}`]: Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
};

test("notes of the database have their text with check boxes, tables, tags, links, folder, times and files", async () => {
  const { stream, rejected } = await readAll(appleNotes, store);
  const [shopping, old] = [...stream("notes").values()];
  assert.deepEqual(shopping, {
    id: "NOTE-1",
    title: "Shopping 🪢",
    text: "Shopping 🪢\n[x] tar\n[ ] rope 縄\nsee the shop\n#rope\n\nTar\n3 €",
    folder: "Boat/Ropes",
    account: "iCloud",
    tags: ["rope"],
    links: ["https://ropes.example/"],
    created_at: "2024-01-01T00:00:00.500Z",
    edited_at: "2024-01-02T00:00:00.500Z",
    is_pinned: true,
    attachment_ids: ["NOTE-1~file 1"],
  });
  assert.deepEqual(
    [old?.folder, old?.is_deleted, old?.text],
    ["Recently Deleted", true, "Old plan\nSell the boat"],
  );
  assert.deepEqual(
    rejected.map(({ place, reason }) => [place, reason.slice(0, 30)]),
    [
      ["notes/NoteStore.sqlite, note 22", "The note is locked with a pass"],
      ["notes/NoteStore.sqlite, note 23", "The content of the note is dam"],
    ],
  );
  const [scan] = [...stream("attachments").values()];
  assert.deepEqual(
    [scan?.message_id, scan?.name, scan?.text, scan?.file !== undefined],
    ["NOTE-1", "scan.png", "Bill of tar", true],
  );
});

test("the download of iCloud Notes has folders, times from its table, and the files beside a note", async () => {
  const { stream, rejected } = await readAll(appleNotes, makeDownloadedNotes());
  assert.deepEqual(rejected, []);
  assert.deepEqual(
    [...stream("notes").values()].map(({ title, folder, edited_at, is_pinned, is_deleted }) => [
      title,
      folder,
      edited_at,
      is_pinned,
      is_deleted,
    ]),
    [
      ["Shopping 🪢", "Boat/Ropes", "2026-04-13T10:30:00.000Z", true, undefined],
      ["Old plan", undefined, "2026-04-01T09:00:00.000Z", undefined, true],
    ],
  );
  assert.deepEqual(
    [...stream("attachments").values()].map(({ name }) => name),
    ["scan.png"],
  );
});

test("both forms are detected with the files that belong to them, and resume after every checkpoint", async () => {
  const both = { ...store, ...makeDownloadedNotes() };
  const { groups, left_out } = await sortFiles(createMemoryFiles("Backup", both), importers);
  assert.deepEqual(
    groups.map(({ importer, file_count }) => [importer.id, file_count]),
    [
      ["apple-notes", 2],
      ["apple-notes", 4],
    ],
  );
  assert.deepEqual(left_out, []);
  for (const contents of [store, makeDownloadedNotes()]) {
    const whole = await readAll(appleNotes, contents);
    for (const [at, { checkpoint }] of whole.items.entries()) {
      if (checkpoint === undefined) continue;
      assert.deepEqual((await readAll(appleNotes, contents, checkpoint)).items, whole.items.slice(at + 1));
    }
  }
});

test("R75 a note of any size is bounded, and damaged content is not text", () => {
  const describe = () => "";
  const bomb = gzipSync(Buffer.alloc(80 * 1024 ** 2));
  assert.equal(readNoteBody(bomb, describe), undefined);
  const whole = makeNoteData([{ text: "words" }]);
  assert.equal(readNoteBody(whole, describe)?.text, "words");
  assert.equal(readNoteBody(whole.subarray(0, 20), describe), undefined);
  assert.equal(
    readNoteBody(gzipSync(Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x0f])), describe),
    undefined,
  );
});
