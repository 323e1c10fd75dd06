/** Real messages and mailboxes from other projects, most of them broken in some way. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createRecordCheck, type ImportedItem } from "@rungs/contract";
import { openFiles } from "../files/open-files.ts";
import type { ImportSource } from "../importer.ts";
import { matches as matchesFiles } from "../read-all.test.ts";
import { mail } from "./mail.ts";

const corpora = fileURLToPath(new URL("../../../../../shared/corpora/", import.meta.url));

/** The number of messages, attachments, and files that are not mail, in each set. */
const sets: Readonly<Record<string, readonly [number, number, number]>> = {
  "mime/enmime": [83, 37, 6],
  "mime/mailparser": [10, 7, 1],
  "mime/mimekit": [113, 98, 76],
  "mime/php-mail-mime-parser": [78, 102, 17],
  "mime/ruby-mail": [104, 45, 9],
  "mail-misc-tika": [46, 19, 1],
};

for (const [set, counts] of Object.entries(sets)) {
  const options = { skip: !existsSync(corpora), timeout: 60_000 };
  test(`every file of ${set} is imported, or rejected with a reason`, options, async () => {
    const files = await openFiles(corpora + set);
    assert.equal(await matchesFiles(mail, files), true);
    const items = await Array.fromAsync(mail.read(sourceOf(files)));
    checkRecords(items);
    const inStream = (name: string) => items.filter((item) => item.kind === "record" && item.stream === name);
    const rejected = items.filter((item) => item.kind === "rejected");
    assert.deepEqual([inStream("messages").length, inStream("attachments").length, rejected.length], counts);
    assert.ok(rejected.every(({ reason }) => reason.length > 10));
    const places = new Set(
      items.map(({ place }) => place.split(/, (?:(?:[^,]+, )?item|message|attachment) \d/)[0]),
    );
    for await (const { path, size_bytes } of files.list())
      assert.ok(size_bytes === 0 || places.has(path), path);
  });
}

function sourceOf(files: ImportSource["files"]): ImportSource {
  return {
    files,
    putBlob: async (bytes, mime_type) => {
      const size_bytes = (await Array.fromAsync(bytes)).reduce((sum, chunk) => sum + chunk.length, 0);
      return { blob_id: "blob", sha256: "0", mime_type, size_bytes };
    },
    extractText: async () => ({ kind: "unsupported", reason: "not part of this test" }),
    note: () => undefined,
  };
}

function checkRecords(items: readonly ImportedItem[]): void {
  const checks = new Map(mail.manifest.streams.map((stream) => [stream.name, createRecordCheck(stream)]));
  for (const item of items) {
    if (item.kind === "record") checks.get(item.stream)?.({ ...item, emitted_at: "2026-01-01T00:00:00Z" });
  }
}
