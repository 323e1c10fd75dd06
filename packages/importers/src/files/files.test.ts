import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createZip, type FixtureEntry } from "../../../../testing/files/zip.ts";
import type { FileEntry, Files } from "./files.ts";
import { createMemoryFiles } from "./memory-files.ts";
import { openFiles } from "./open-files.ts";
import { openZip } from "./zip.ts";
import { zipLimits } from "./zip-limits.ts";

const home = mkdtempSync(join(tmpdir(), "rungs-files-"));
after(() => rmSync(home, { recursive: true }));

test("a folder lists all its files by path, without system files", async () => {
  const folder = join(home, "folder");
  for (const each of ["a", "a/deep", "__MACOSX", ".git"]) mkdirSync(join(folder, each), { recursive: true });
  const paths = [
    "b.txt",
    "a/deep/c.txt",
    "a-b.txt",
    ".DS_Store",
    "a/._c.txt",
    "__MACOSX/x",
    ".git/HEAD",
    "Thumbs.db",
  ];
  for (const each of paths) writeFileSync(join(folder, each), each);
  const files = await openFiles(`${folder}/`);
  assert.equal(files.name, "folder");
  assert.deepEqual(await pathsOf(files), ["a-b.txt", "a/deep/c.txt", "b.txt"]);
  assert.deepEqual(await pathsOf(files), ["a-b.txt", "a/deep/c.txt", "b.txt"]);
  assert.equal(await textOf(await files.find("a/deep/c.txt")), "a/deep/c.txt");
  assert.equal(await files.find("a/deep"), undefined);
});

test("a link inside a folder is not followed, and is rejected with the reason", async () => {
  const folder = join(home, "links");
  mkdirSync(folder);
  writeFileSync(join(home, "secret.txt"), "secret");
  symlinkSync(join(home, "secret.txt"), join(folder, "file"));
  symlinkSync("..", join(folder, "up"));
  const files = await openFiles(folder);
  assert.deepEqual(await pathsOf(files), []);
  assert.deepEqual(
    files.refused.map(({ path }) => path),
    ["file", "up"],
  );
  assert.match(files.refused[0]?.reason ?? "", /link/);
});

test("a file can be read from an offset or only its head, and progress counts no byte twice", async () => {
  const file = join(home, "one.bin");
  writeFileSync(file, Buffer.alloc(600_000, "0123456789"));
  const files = await openFiles(file);
  const [entry] = await Array.fromAsync(files.list());
  assert.ok(entry);
  assert.equal(entry.path, "one.bin");
  assert.equal(Buffer.from(await entry.head(7)).toString(), "0123456");
  assert.deepEqual(files.progress, { read_bytes: 0, total_bytes: 600_000, path: undefined });
  const chunks = await Array.fromAsync(entry.open());
  assert.ok(chunks.length > 1 && chunks.every(({ length }) => length <= 256 * 1024));
  assert.equal(await textOf(entry, 599_995), "56789");
  assert.equal(await textOf(entry, 600_000), "");
  assert.deepEqual(files.progress, { read_bytes: 600_000, total_bytes: 600_000, path: "one.bin" });
});

test("a file that changed after it was listed is read in its current state", async () => {
  const file = join(home, "changing.txt");
  writeFileSync(file, "as it was listed");
  const [entry] = await Array.fromAsync((await openFiles(file)).list());
  assert.ok(entry);
  const longer = "longer ".repeat(50_000);
  for (const text of [longer, "as it is"]) {
    writeFileSync(file, text);
    assert.equal(await textOf(entry), text);
  }
  writeFileSync(file, longer);
  assert.ok((await Array.fromAsync(entry.open())).length < 5);
  assert.equal((await entry.head(100_000)).length, 100_000);
  writeFileSync(file, "");
  assert.equal(await textOf(entry), "");
});

test("an archive is detected by its bytes and read by entry", async () => {
  const text = "lorem ".repeat(50_000);
  const files = await zipOf("export.dat", [
    { path: "b/" },
    { path: "b/long.txt", content: text, packed: true },
    { path: "./a.txt", content: "stored" },
    { path: "__MACOSX/b/._long.txt", content: "x" },
    { path: "日本.txt", content: "no flag says that this name is UTF-8" },
  ]);
  assert.deepEqual(await pathsOf(files), ["a.txt", "b/long.txt", "日本.txt"]);
  const long = await files.find("b/long.txt");
  assert.equal(long?.size_bytes, text.length);
  assert.equal(long?.modified_at, "2024-01-01T00:00:00.000Z");
  assert.equal(await textOf(long), text);
  assert.equal(await textOf(long, 299_990), text.slice(299_990));
  assert.equal(Buffer.from((await long?.head(5)) ?? []).toString(), "lorem");
  await files.close();
});

test("a zip-based document is one file", async () => {
  for (const inner of [
    ["_rels/.rels", "[Content_Types].xml"],
    ["mimetype", "content.xml"],
  ]) {
    const files = await zipOf(
      "letter.docx",
      inner.map((path) => ({ path, content: "x" })),
    );
    assert.deepEqual(await pathsOf(files), ["letter.docx"]);
  }
});

test("a path traversal entry is refused, and the others are read", async () => {
  const bad = ["../up.txt", "a/../../up.txt", "/etc/passwd", "..\\up.txt", "C:\\up.txt", "bell\u0007.txt"];
  const files = await zipOf(
    "slip.zip",
    [...bad, "good.txt"].map((path) => ({ path, content: "x" })),
  );
  assert.deepEqual(await pathsOf(files), ["good.txt"]);
  assert.equal(files.refused.length, bad.length);
  assert.equal(files.refused.filter(({ reason }) => /leads out of the archive/.test(reason)).length, 5);
});

test("duplicate names, encrypted entries and unknown compression methods are refused by name", async () => {
  const files = await zipOf("odd.zip", [
    { path: "a.txt", content: "first" },
    { path: "a.txt", content: "second" },
    { path: "locked.txt", content: "xxxxxxxxxxxx", encrypted: true, claimed_bytes: 0 },
    { path: "odd.txt", content: "x", method: 9 },
  ]);
  assert.equal(await textOf(await files.find("a.txt")), "first");
  assert.deepEqual(
    files.refused.map(({ path }) => path),
    ["a.txt", "locked.txt", "odd.txt"],
  );
  assert.match(files.refused[1]?.reason ?? "", /password/);
  assert.match(files.refused[2]?.reason ?? "", /method 9/);
});

test("an archive with nothing but encrypted entries is refused", async () => {
  const entry = { path: "a", content: "xxxxxxxxxxxx", encrypted: true, claimed_bytes: 0 };
  await assert.rejects(zipOf("locked.zip", [entry]), { code: "archive_refused", message: /encrypted/ });
});

test("a zip bomb is refused before decompression", async () => {
  const entries = [{ path: "a", content: Buffer.alloc(1_000_000), packed: true }];
  const refuse = (limits: Partial<typeof zipLimits>) =>
    zipOf("bomb.zip", entries, { ...zipLimits, ...limits });
  await assert.rejects(refuse({ total_bytes: 999_999 }), {
    code: "archive_refused",
    message: /999999 bytes/,
  });
  await assert.rejects(refuse({ ratio_from_bytes: 10 }), { code: "archive_refused", message: /200 times/ });
  await assert.rejects(refuse({ entries: 0 }), { code: "archive_refused", message: /0 entries/ });
  assert.deepEqual(await pathsOf(await refuse({})), ["a"]);
});

test("an entry that unpacks to more than it declared is cut off while it is read", async () => {
  const files = await zipOf("liar.zip", [
    { path: "liar", content: Buffer.alloc(50_000_000), packed: true, claimed_bytes: 10 },
  ]);
  const entry = await files.find("liar");
  let seen = 0;
  const read = async () => {
    for await (const chunk of entry?.open() ?? []) seen += chunk.length;
  };
  await assert.rejects(read, { code: "file_unreadable", message: /liar cannot be read/ });
  assert.ok(seen <= 10);
});

test("a missing, truncated or broken file is refused with the reason", async () => {
  await assert.rejects(openFiles(join(home, "nowhere")), {
    code: "file_unreadable",
    message: /no such file/,
  });
  const whole = createZip([{ path: "a", content: "abc" }]);
  const cut = join(home, "cut.zip");
  writeFileSync(cut, whole.subarray(0, whole.length - 30));
  await assert.rejects(openFiles(cut), { code: "file_unreadable", message: /looks like a zip archive/ });
  const files = await openFiles(join(home, "secret.txt"));
  rmSync(join(home, "secret.txt"));
  const entry = await files.find("secret.txt");
  await assert.rejects(textOf(entry), { code: "file_unreadable", message: /ENOENT/ });
});

test("files in memory behave like files on disk", async () => {
  const files = createMemoryFiles("two", { b: "bee", a: Buffer.from("ay") });
  assert.deepEqual(await pathsOf(files), ["a", "b"]);
  assert.equal(await textOf(await files.find("b"), 1), "ee");
  assert.deepEqual(files.progress, { read_bytes: 3, total_bytes: 5, path: "b" });
});

async function zipOf(
  name: string,
  entries: readonly FixtureEntry[],
  limits?: typeof zipLimits,
): Promise<Files> {
  const file = join(home, name);
  const bytes = createZip(entries);
  writeFileSync(file, bytes);
  if (limits === undefined) return openFiles(file);
  const files = await openZip(file, name, bytes.length, limits);
  assert.ok(files);
  return files;
}

async function pathsOf(files: Files): Promise<string[]> {
  return (await Array.fromAsync(files.list())).map(({ path }) => path);
}

async function textOf(entry: FileEntry | undefined, from?: number): Promise<string> {
  assert.ok(entry);
  return Buffer.concat(await Array.fromAsync(entry.open(from))).toString();
}
