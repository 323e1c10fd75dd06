import assert from "node:assert/strict";
import { test } from "node:test";
import { type Manifest, TABLE_SOURCE_IDS } from "@rungs/contract";
import { heldBytes } from "../../../../testing/fuzz/memory.ts";
import type { Files } from "../files/files.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { matches as matchesFiles } from "../read-all.test.ts";
import { importTable, importText, listRecords, shapesOf } from "./import-table.test.ts";
import { ROW_MAX_BYTES } from "./row.ts";
import { tablesImporter } from "./tables.ts";

test("integers above 2^53 keep every digit, nested too, in lists and lines", async () => {
  const object =
    '{"id":9007199254740993,"deep":{"list":[12345678901234567890,-9007199254740993,1e3,7]},"n":5}';
  for (const text of [`[${object}]`, `${object}\n`, `{"count":1,"items":[${object}]}`]) {
    const { rows } = await importText(text, "a.json");
    assert.deepEqual(rows, [
      {
        id: "9007199254740993",
        deep: { list: ["12345678901234567890", "-9007199254740993", 1000, 7] },
        n: 5,
      },
    ]);
  }
});

test("a header may have missing, repeated and numeric names, and names of inherited members", async () => {
  const { manifest, rows } = await importText(
    "land,2019,2020,,sum,sum,toString\nFR,1,2,x,3,4,a\nDE,3,4,y,5,6,b\n",
  );
  const names = Object.keys(shapesOf(manifest)).filter((name) => name !== "row");
  assert.deepEqual(
    new Set(names.map((name) => name.replace(/_[0-9a-f]{6}$/, ""))),
    new Set(["land", "2019", "2020", "column_4", "sum", "sum_2", "toString"]),
  );
  assert.deepEqual(
    [(rows[0] as Record<string, unknown>)["2019"], (rows[1] as Record<string, unknown>).sum_2],
    [1, 6],
  );
  const years = await importText("2019,2020\n2021,2022\n2023,2024\n");
  assert.equal(years.rows.length, 3);
});

test("a file named as a table may have a single column, or many rows of other lengths", async () => {
  const list = await importText("apple\npear green\nplum\n", "fruit.csv");
  assert.deepEqual(list.rows, [
    { row: 1, column_1: "apple" },
    { row: 2, column_1: "pear green" },
    { row: 3, column_1: "plum" },
  ]);
  const years = await importText("year\n2019\n2020\n", "years.csv");
  assert.deepEqual(years.rows, [
    { row: 1, year: 2019 },
    { row: 2, year: 2020 },
  ]);
  const ragged = await importText("a,b,c\n1,2,3\n1,2,3,4\n5,6\n7,8,9\n", "ragged.csv");
  assert.equal(ragged.items.length, 4);
  assert.deepEqual(ragged.rows.at(-1), { row: 4, a: 7, b: 8, c: 9 });
  assert.equal(
    await matchesFiles(tablesImporter, createMemoryFiles("x", { "list.txt": "apple\nplum\n" })),
    false,
  );
});

test("lines before a table and sep= are skipped, and the import says so", async () => {
  const bank =
    'Konto;DE12\n"Zeitraum";"01.01.2024 - 31.01.2024"\n\nBuchung;Betrag;Zweck\n31.01.2024;-1.234,56;Miete\n05.01.2024;12,00;"Tee; gut"\n02.01.2024;3;x\n';
  const { manifest, rows, notes } = await importText(bank);
  assert.deepEqual(shapesOf(manifest), {
    row: "integer",
    Buchung: "date",
    Betrag: "number",
    Zweck: "string",
  });
  assert.deepEqual(rows[0], { row: 1, Buchung: "2024-01-31", Betrag: -1234.56, Zweck: "Miete" });
  assert.deepEqual(
    [rows.length, notes],
    [3, ["a.csv: the first 2 lines come before the table and were not read."]],
  );
  const separated = await importText("sep=;\nid;v\n1;a,b\n2;c,d\n");
  assert.deepEqual(separated.rows, [
    { id: 1, v: "a,b" },
    { id: 2, v: "c,d" },
  ]);
});

test("dates with slashes are read if the column shows which number is the day, else they stay text", async () => {
  const dates = async (...cells: string[]) =>
    (await importText(`id,d\n${cells.map((cell, at) => `${at},${cell}\n`).join("")}`)).rows.map(
      (row) => (row as { d: string }).d,
    );
  assert.deepEqual(await dates("01/02/2024", "31/12/2024"), ["2024-02-01", "2024-12-31"]);
  assert.deepEqual(await dates("01/02/2024", "12/31/2024"), ["2024-01-02", "2024-12-31"]);
  assert.deepEqual(await dates("01/02/2024", "03/04/2024"), ["01/02/2024", "03/04/2024"]);
  assert.deepEqual(await dates("31/12/2024", "12/31/2024"), ["31/12/2024", "12/31/2024"]);
});

test("a row with a duplicate key is rejected, and duplicate members are noted", async () => {
  const { manifest } = await importText("id,v\n7,x\n8,y\n");
  const { items } = await importTable(
    createMemoryFiles("a.csv", { "a.csv": "id,v\n7,x\n8,y\n7,again\n" }),
    manifest,
  );
  assert.deepEqual(
    items.map((item) => (item.kind === "rejected" ? item.reason : item.key)),
    ["7", "8", "An earlier row has the same key."],
  );
  const { notes, rows } = await importText(
    '{"id":1,"a":{"b":1,"b":2}}\n{"id":2,"a":{"b":"\\"b\\":"}}\n',
    "a.jsonl",
  );
  assert.deepEqual(notes, [
    "a.jsonl: 1 rows have an object with two members of one name; the last one counts.",
  ]);
  assert.equal(rows.length, 2);
});

test("R75 a row with a string of many megabytes is read", async () => {
  const { rows } = await importText(`{"id":1,"v":"${"x".repeat(20_000_000)}"}\n`, "a.jsonl");
  assert.equal((rows[0] as { v: string }).v.length, 20_000_000);
});

test("a list inside an object is read, and JSON in UTF-16 too", async () => {
  const wrapped = '{"kind":"things","next":null,"items":[{"id":1},{"id":2}],"more":[3]}';
  for (const text of [wrapped, Buffer.from(`\ufeff${wrapped}`, "utf16le")]) {
    const { rows, notes } = await importText(text, "a.json");
    assert.deepEqual(rows, [{ id: 1 }, { id: 2 }]);
    assert.deepEqual(notes, ["a.json: only the list items was read."]);
  }
  const lines = await importText(
    Buffer.from('\ufeff{"id":1,"v":"ä"}\n{"id":2,"v":"ö"}\n', "utf16le"),
    "a.jsonl",
  );
  assert.deepEqual(lines.rows, [
    { id: 1, v: "ä" },
    { id: 2, v: "ö" },
  ]);
});

test("prose, code, one object and an empty file are not tables", async () => {
  const texts = [
    "Dear reader, this is prose.\nIt goes on, and on, and on.\nNo table here.\n",
    '{\n  "a": 1,\n  "b": 2\n}\n',
    "[1, 2, 3]",
    "a line\n",
    "",
  ];
  for (const text of texts)
    assert.equal(await matchesFiles(tablesImporter, createMemoryFiles("t", { t: text })), false, text);
  assert.equal(await matchesFiles(tablesImporter, createMemoryFiles("none", {})), false);
});

test("each file of a folder is a stream, and the same files give the same manifest", async () => {
  const contents = { "a b.csv": "id,v\n1,2\n", "sub/a b.csv": "id,v\n1,2\n", "c.jsonl": '{"k":1}\n' };
  const one = await importTable(createMemoryFiles("f", contents));
  assert.deepEqual(
    one.manifest.streams.map(({ name }) => name),
    ["a-b", "c", "sub-a-b"],
  );
  const two = await importTable(createMemoryFiles("f", contents));
  assert.deepEqual(two.manifest, one.manifest);
  const other = await importTable(createMemoryFiles("f", { ...contents, "c.jsonl": '{"k":"1"}\n' }));
  assert.notEqual(other.manifest.declaration_version, one.manifest.declaration_version);
});

test("reading resumes after a checkpoint with the next row", async () => {
  const files = createMemoryFiles("f", { a: "id,v\n1,2\n3,4\n5,6\n", b: "id,v\n1,2\n" });
  const { items } = await importTable(files);
  for (const [at, { checkpoint }] of items.entries()) {
    const rest = await importTable(files, undefined, checkpoint);
    assert.deepEqual(rest.items, items.slice(at + 1));
  }
});

test("a given manifest decides types and key; a row without its key is rejected", async () => {
  const files = createMemoryFiles("f.csv", { "f.csv": "code,v\n007,2\n,4\n" });
  const { manifest } = await importTable(files);
  const properties = { code: { type: "string" }, v: { type: "string" } };
  const given: Manifest = {
    ...manifest,
    streams: [
      {
        name: "things",
        semantics: "mutable_state",
        primary_key: ["code"],
        schema: { type: "object", required: ["code"], properties },
      },
    ],
  };
  const { items } = await importTable(files, given);
  assert.deepEqual(listRecords(items), [["007", { code: "007", v: "2" }]]);
  assert.deepEqual(items[1], {
    kind: "rejected",
    reason: "It has no value for its key code.",
    place: "f.csv, row 2",
    checkpoint: "0 2 f.csv",
  });
});

test("a line three times the row limit is rejected by its place without buffering it, and the lines around it are read", async () => {
  const filling = Buffer.alloc(1024 ** 2, "x");
  const FILLINGS = (3 * ROW_MAX_BYTES) / filling.length;
  let most = 0;
  const pieces = (before: string, after: string) =>
    async function* () {
      const base = await heldBytes();
      yield Buffer.from(before);
      for (let at = 0; at < FILLINGS; at += 1) {
        yield filling;
        if (at % 24 === 23) most = Math.max(most, (await heldBytes()) - base);
      }
      yield Buffer.from(after);
    };
  for (const [before, after] of [
    ['{"id":"a"}\n{"id":"', '"}\n{"id":"c"}\n'],
    ["id,v\na,1\nb,", "\nc,3\n"],
  ] as const) {
    const open = pieces(before, after);
    const entry = {
      path: "large",
      size_bytes: FILLINGS * filling.length + before.length + after.length,
      open,
      head: async () => Buffer.concat([Buffer.from(before), filling.subarray(0, 1000)]),
    };
    const files: Files = {
      ...createMemoryFiles("large", {}),
      list: async function* () {
        yield entry;
      },
    };
    const { items } = await importTable(files);
    assert.deepEqual(
      items.map((item) => (item.kind === "record" ? item.key : item.reason)),
      ["a", `It is longer than ${ROW_MAX_BYTES} bytes.`, "c"],
    );
  }
  assert.ok(most < ROW_MAX_BYTES * 2.5, `${most} bytes were held`);
});

test("R75 a row nested too deep is rejected, and the rows around it are read", async () => {
  const deep = `{"id":2,"list":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
  const lines = ['{"id":1,"list":[]}', deep, '{"id":3,"list":[[["kept"]]]}'].join("\n");
  const { items } = await importTable(createMemoryFiles("rows.ndjson", { "rows.ndjson": lines }));
  assert.deepEqual(
    items.map((item) => (item.kind === "rejected" ? item.reason : item.key)),
    ["1", "It nests deeper than 64 levels.", "3"],
  );
});

test("R70 the store recognizes tables by their source id, and never mistakes their data for references", async () => {
  const { manifest } = await importTable(createMemoryFiles("a.csv", { "a.csv": "id,name\n1,tea\n" }));
  assert.ok(TABLE_SOURCE_IDS.includes(manifest.source.id), manifest.source.id);
});
