import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeHistoryDatabases } from "../../../../testing/files/history-db.ts";
import { sortFiles } from "../detect/sort-files.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { openFiles } from "../files/open-files.ts";
import { importers } from "../importers.ts";
import { readAll } from "../read-all.test.ts";
import { browser } from "./browser.ts";
import { unpackMozLz4 } from "./mozlz4.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-browser-"));
after(() => rmSync(folder, { recursive: true }));

const PAGE = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file. -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1700000000" PERSONAL_TOOLBAR_FOLDER="true">Bar</H3>
    <DL><p>
        <DT><A HREF="https://a.example/?q=1&amp;r=2" ADD_DATE="1709283600" TAGS="tea,milk">Tea &amp; 茶</A>
        <DD>A page about tea
        <DT><H3>Inner</H3>
        <DL><p>
            <DT><A HREF="https://b.example/">B</A>
        </DL><p>
        <DT><A HREF="https://b.example/">B again</A>
    </DL><p>
    <DT><A HREF="https://c.example/">C</A>
</DL>
`;

const rows = (reading: Awaited<ReturnType<typeof readAll>>) =>
  [...reading.stream("bookmarks").values()].map(
    ({ title, url, folder: place, tags, added_at, description }) => [
      title,
      url,
      place,
      tags,
      added_at,
      description,
    ],
  );

test("a page of bookmarks has their folders, tags, times and descriptions, from any checkpoint", async () => {
  const whole = await readAll(browser, { "bookmarks.html": PAGE });
  assert.deepEqual(rows(whole), [
    [
      "Tea & 茶",
      "https://a.example/?q=1&r=2",
      "Bar",
      ["tea", "milk"],
      "2024-03-01T09:00:00.000Z",
      "A page about tea",
    ],
    ["B", "https://b.example/", "Bar/Inner", undefined, undefined, undefined],
    ["B again", "https://b.example/", "Bar", undefined, undefined, undefined],
    ["C", "https://c.example/", undefined, undefined, undefined, undefined],
  ]);
  for (const [at, { checkpoint }] of whole.items.entries()) {
    const rest = await readAll(browser, { "bookmarks.html": PAGE }, checkpoint);
    assert.deepEqual(rest.items, whole.items.slice(at + 1));
  }
});

const FIREFOX = JSON.stringify({
  guid: "root________",
  title: "",
  type: "text/x-moz-place-container",
  children: [
    {
      title: "menu",
      type: "text/x-moz-place-container",
      children: [
        {
          title: "A",
          type: "text/x-moz-place",
          uri: "https://a.example/",
          dateAdded: 1709283600000000,
          tags: "x,y",
        },
        { type: "text/x-moz-place-separator" },
      ],
    },
  ],
});

test("reads Chrome's bookmark files and Firefox' backups, compressed or not", async () => {
  const chrome = JSON.stringify({
    checksum: "0a",
    roots: {
      bookmark_bar: {
        type: "folder",
        name: "Bar",
        children: [{ type: "url", name: "A", url: "https://a.example/", date_added: "13353757200000000" }],
      },
      other: { type: "folder", name: "Other", children: [] },
    },
    version: 1,
  });
  const time = "2024-03-01T09:00:00.000Z";
  assert.deepEqual(rows(await readAll(browser, { Bookmarks: chrome })), [
    ["A", "https://a.example/", "Bar", undefined, time, undefined],
  ]);
  const expected = [["A", "https://a.example/", "menu", ["x", "y"], time, undefined]];
  assert.deepEqual(rows(await readAll(browser, { "bookmarks.json": FIREFOX })), expected);
  assert.deepEqual(rows(await readAll(browser, { "bookmarks.jsonlz4": pack(FIREFOX) })), expected);
});

/** Compresses as Firefox does, but with literals only. */
function pack(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(12);
  head.write("mozLz40\0", 0, "latin1");
  head.writeUInt32LE(bytes.length, 8);
  const extra = bytes.length - 15;
  const lengths = [...Array<number>(Math.floor(extra / 255)).fill(255), extra % 255];
  return Buffer.concat([head, Buffer.from([0xf0, ...lengths]), bytes]);
}

test("LZ4 copies earlier output, overlaps included, and stays within the declared size", () => {
  const head = (size: number) => {
    const bytes = Buffer.from("mozLz40\0\0\0\0\0", "latin1");
    bytes.writeUInt32LE(size, 8);
    return bytes;
  };
  // The literal "ab", then 8 bytes from 2 back.
  const block = Buffer.from([0x24, 0x61, 0x62, 2, 0, 0x10, 0x63]);
  assert.equal(unpackMozLz4(Buffer.concat([head(11), block]), 100)?.toString(), "ababababab" + "c");
  assert.equal(unpackMozLz4(Buffer.concat([head(5), block]), 100), undefined);
  assert.equal(unpackMozLz4(Buffer.concat([head(1e9), block]), 100), undefined);
  assert.equal(unpackMozLz4(Buffer.concat([head(11), block.subarray(0, 4)]), 100), undefined);
});

for (const [file, bytes] of Object.entries(makeHistoryDatabases())) {
  test(`R72 ${file} is detected by its tables and yields its visits, from any checkpoint`, async () => {
    const path = join(folder, file);
    writeFileSync(path, bytes);
    const files = await openFiles(path);
    const { groups } = await sortFiles(files, importers);
    assert.deepEqual(
      groups.map(({ importer, detection }) => [importer.id, detection.confidence]),
      [["browser", "signature"]],
    );
    const whole = await readAll(browser, files);
    assert.deepEqual(
      [...whole.stream("visits").values()].map(({ title, url, visited_at }) => [title, url, visited_at]),
      [
        ["A", "https://a.example/", "2024-03-01T09:00:00.000Z"],
        ["A", "https://a.example/", "2024-03-01T09:00:01.000Z"],
      ],
    );
    const rest = await readAll(browser, files, whole.items[0]?.checkpoint);
    assert.deepEqual(rest.items, whole.items.slice(1));
  });
}

const TAKEOUT = JSON.stringify(
  {
    Session: [],
    "Browser History": [
      {
        favicon_url: "https://a.example/i.ico",
        page_transition: "LINK",
        title: "A 茶",
        url: "https://a.example/",
        time_usec: 1709283600123456,
      },
      { title: "A 茶", url: "https://a.example/", time_usec: 1709283600123999 },
      { title: "no address", time_usec: 1 },
      { title: "", url: "https://b.example/", time_usec: "1709283500000000" },
    ],
  },
  undefined,
  1,
);

test("R72 a Takeout's history yields visits, whatever the file's name, and drops duplicates of page and time", async () => {
  for (const name of ["Takeout/Chrome/BrowserHistory.json", "x"]) {
    const files = createMemoryFiles("Takeout", { [name]: TAKEOUT });
    const { groups } = await sortFiles(files, importers);
    assert.deepEqual(
      groups.map(({ importer, detection }) => [importer.id, detection.confidence]),
      [["browser", "signature"]],
    );
    const whole = await readAll(browser, files);
    assert.deepEqual(
      [...whole.stream("visits").values()],
      [
        {
          id: "2024-03-01T09:00:00.123Z~https://a.example/",
          title: "A 茶",
          url: "https://a.example/",
          visited_at: "2024-03-01T09:00:00.123Z",
        },
        {
          id: "2024-03-01T08:58:20.000Z~https://b.example/",
          url: "https://b.example/",
          visited_at: "2024-03-01T08:58:20.000Z",
        },
      ],
    );
    assert.deepEqual(
      whole.rejected.map(({ reason }) => reason),
      ["Not a visit: it has no address, or no time."],
    );
    for (const [at, { checkpoint }] of whole.items.entries()) {
      const rest = await readAll(browser, files, checkpoint);
      assert.deepEqual(rest.items.slice(-1), whole.items.slice(at + 1).slice(-1));
    }
  }
});

test("R75 broken files are rejected with a reason", async () => {
  const { rejected } = await readAll(browser, {
    "a.json": '{"roots": {',
    "b.jsonlz4": pack(FIREFOX).subarray(0, 60),
    "c.sqlite": "SQLite format 3\0 and no more",
    "d.html": "<!DOCTYPE NETSCAPE-Bookmark-file-1>",
  });
  assert.equal(rejected.length, 4);
});
