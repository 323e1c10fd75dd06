import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { createPax, createTar } from "../../../../testing/files/tar.ts";
import { createZip } from "../../../../testing/files/zip.ts";
import { sortFiles } from "../detect/sort-files.ts";
import { importers } from "../importers.ts";
import type { Files } from "./files.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { openFiles } from "./open-files.ts";
import { spool } from "./spool.ts";

const home = mkdtempSync(join(tmpdir(), "rungs-tar-"));
after(() => rmSync(home, { recursive: true }));

async function openAs(name: string, bytes: Uint8Array): Promise<Files> {
  const path = join(home, name);
  writeFileSync(path, bytes);
  return openFiles(path);
}

async function contentsOf(files: Files): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const entry of files.list()) found.push([entry.path, (await buffer(entry.open())).toString()]);
  await files.close();
  return found;
}

const LONG = `${"deep/".repeat(30)}漢字.txt`;
const plain = createTar([
  { path: "./a.txt", content: "one" },
  { path: "folder/", type: "5" },
  { path: LONG, content: "x".repeat(600_000) },
  createPax({ path: "пакс.txt", mtime: "1700000000.5" }),
  { path: "short", content: "two" },
  { path: "__MACOSX/._a", content: "junk" },
  { path: "empty" },
]);
const expected = [
  ["a.txt", "one"],
  [LONG, "x".repeat(600_000)],
  ["empty", ""],
  ["пакс.txt", "two"],
];

test("a tar archive is read in place, or from a copy if gzipped, whatever its name", async () => {
  for (const [name, bytes] of [
    ["all.tar", plain],
    ["all.tgz", gzipSync(plain)],
    ["all", gzipSync(plain)],
  ] as const) {
    const files = await openAs(name, bytes);
    assert.equal(files.name, name);
    assert.deepEqual(files.refused, []);
    const entry = await files.find(LONG);
    assert.equal((await buffer(entry!.open(599_990))).toString(), "x".repeat(10));
    assert.equal((await buffer(entry!.open(600_000))).length, 0);
    assert.equal((await files.find("пакс.txt"))?.modified_at, "2023-11-14T22:13:20.500Z");
    assert.deepEqual(await contentsOf(files), expected);
  }
});

test("a gzipped file is that file; concatenated gzip members are one file", async () => {
  const two = Buffer.concat([gzipSync("From a\n"), gzipSync("From b\n")]);
  assert.deepEqual(await contentsOf(await openAs("all.mbox.gz", two)), [["all.mbox", "From a\nFrom b\n"]]);
});

test("R72 archives in archives go to their formats: a mailbox in a tar, lines in gzip, a tar in a zip", async () => {
  const mbox =
    "From ann@x Thu Jan  1 00:00:00 2026\nFrom: ann@x\nSubject: s\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\nbody\n\n";
  const card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nEND:VCARD\r\n";
  const files = createMemoryFiles("Downloads", {
    "mail.mbox.gz": gzipSync(mbox),
    "rows.jsonl.gz": gzipSync('{"id":1}\n{"id":2}\n'),
    "backup.zip": createZip([
      { path: "inner.tar", content: createTar([{ path: "a.vcf", content: card }]), packed: true },
      { path: "more.tar.gz", content: gzipSync(createTar([{ path: "b.vcf", content: card }])) },
    ]),
    "takeout-20260101T000000Z-001.tgz": gzipSync(
      createTar([{ path: "Takeout/Contacts/c.vcf", content: card }]),
    ),
    "takeout-20260101T000000Z-002.tgz": gzipSync(
      createTar([{ path: "Takeout/Contacts/d.vcf", content: card }]),
    ),
    "broken.gz": gzipSync("words words").subarray(0, 9),
  });
  const { groups, left_out, close } = await sortFiles(files, importers);
  assert.deepEqual(
    groups.map(({ importer, place, file_count }) => [importer.id, place, file_count]).toSorted(),
    [
      ["contacts", "backup.zip/inner.tar/", 1],
      ["contacts", "backup.zip/more.tar.gz/", 1],
      ["contacts", "takeout-20260101T000000Z/", 2],
      ["mail", "mail.mbox.gz/", 1],
      ["table", "rows.jsonl.gz/", 1],
    ],
  );
  assert.deepEqual(
    left_out.map(({ path }) => path),
    ["broken.gz"],
  );
  await close();
});

test("R75 links, devices, path traversal and duplicate names are refused one by one; the rest is read", async () => {
  const files = await openAs(
    "hostile.tar",
    createTar([
      { path: "link", type: "2" },
      { path: "hard", type: "1" },
      { path: "tty", type: "3" },
      { path: "sparse", type: "S" },
      { path: "/etc/passwd", content: "x" },
      { path: "../up", content: "x" },
      { path: "a\u0007b", content: "x" },
      { path: "good", content: "1" },
      { path: "good", content: "2" },
      { path: "last", content: "3" },
      { path: "cut", content: "x", claimed_bytes: 10_000_000 },
    ]),
  );
  assert.deepEqual(files.refused.map(({ path }) => path).toSorted(), [
    "../up",
    "/etc/passwd",
    "a\u0007b",
    "cut",
    "good",
    "hard",
    "link",
    "sparse",
    "tty",
  ]);
  assert.deepEqual(await contentsOf(files), [
    ["good", "1"],
    ["last", "3"],
  ]);
});

test("R75 a bomb and a huge header are refused, and a damaged archive yields what came before", async () => {
  const limits = { total_bytes: 10_000, ratio: 5, ratio_from_bytes: 1_000, entries: 10 };
  const chunks = async function* () {
    for (;;) yield Buffer.alloc(1_000);
  };
  await assert.rejects(spool(chunks(), { name: "b.gz", archive_bytes: 300 }, limits), {
    code: "archive_refused",
  });
  await assert.rejects(spool(chunks(), { name: "b.gz", archive_bytes: 1e6 }, limits), {
    code: "archive_refused",
  });
  const huge = createTar([
    { path: "x", type: "x", claimed_bytes: 2 * 1024 ** 2, content: Buffer.alloc(2 * 1024 ** 2) },
  ]);
  await assert.rejects(openAs("huge.tar", huge), { code: "archive_refused" });
  const damaged = Buffer.from(plain);
  damaged.fill(0xff, 1024, 1100);
  const files = await openAs("damaged.tar", damaged);
  assert.match(files.refused[0]?.reason ?? "", /damaged at byte 1024/);
  assert.deepEqual(await contentsOf(files), [["a.txt", "one"]]);
  const packed = gzipSync(
    createTar([
      { path: "a", content: "one" },
      { path: "b", content: Buffer.from(Array.from({ length: 9_000 }, (_, at) => (at * at) % 251)) },
    ]),
    { level: 0 },
  );
  const cut = await openAs("cut.tgz", packed.subarray(0, 4_000));
  assert.deepEqual((await contentsOf(cut))[0], ["a", "one"]);
  assert.equal(cut.refused.length, 2);
});

test("R75 no mutation of bytes makes an archive crash the reader or yield more than it has", async () => {
  const small = createTar([
    { path: "a", content: "one" },
    createPax({ path: "b" }),
    { path: "c", content: "two" },
  ]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(small.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      fc.nat(small.length),
      async (changes, length) => {
        const bytes = Buffer.from(small.subarray(0, length));
        for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
        const { groups, close } = await sortFiles(createMemoryFiles("x", { "a.tar": bytes }), importers);
        for (const { files } of groups) {
          let size = 0;
          for await (const entry of files.list())
            for await (const chunk of entry.open()) size += chunk.length;
          assert.ok(size <= bytes.length);
        }
        await close();
      },
    ),
    { numRuns: 100 },
  );
});
