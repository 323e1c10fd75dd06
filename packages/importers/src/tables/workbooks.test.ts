import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@rungs/contract";
import { makeOds, makeXlsx, xlsxRow } from "../../../../testing/files/workbook.ts";
import { createZip } from "../../../../testing/files/zip.ts";
import { sortFiles } from "../detect/sort-files.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import type { Importer } from "../importer.ts";
import { importers } from "../importers.ts";
import { readAll } from "../read-all.test.ts";
import { tablesImporter } from "./tables.ts";

async function read(contents: Readonly<Record<string, Uint8Array>>, resume?: string) {
  const files = createMemoryFiles("export", contents);
  const manifest = await tablesImporter.inspect!(files, undefined);
  const importer: Importer = {
    ...tablesImporter,
    manifest,
    read: (source) => tablesImporter.read({ ...source, manifest }),
  };
  const reading = await readAll(importer, files, resume);
  const rows = (stream: string) => [...reading.stream(stream).values()];
  return { ...reading, manifest, rows };
}

function types({ streams: [first] }: Manifest): Record<string, string> {
  const { properties = {} } = first!.schema as {
    properties?: Record<string, { type: string; format?: string }>;
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type, format }]) => [name, format ?? type]),
  );
}

const BOOK = makeXlsx(
  [
    {
      name: "Sales",
      rows:
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c><c r="E1" t="s"><v>6</v></c></row>' +
        '<row r="2"><c r="A2"><v>7</v></c><c r="B2" s="1"><v>45352</v></c><c r="C2" s="2"><v>45352.4375</v></c><c r="D2"><f>1+0.1</f><v>0.30000000000000004</v></c><c r="E2" t="s"><v>4</v></c></row>' +
        '<row r="4"><c r="A4"><v>8</v></c><c r="B4" s="1"><v>59</v></c><c r="C4" s="2"><v>61</v></c><c r="D4" t="e"><v>#DIV/0!</v></c><c r="E4" t="str"><f>"a"</f><v>x_x000A_y</v></c></row>' +
        '<row><c><v>9</v></c><c r="D5"><v>1E-3</v></c><c t="b"><v>1</v></c></row>',
    },
    { name: "Empty", rows: "" },
    {
      name: "Secret plans",
      is_hidden: true,
      rows:
        xlsxRow(["Report of 2026"]) +
        xlsxRow(["name", "time"]) +
        xlsxRow(["tea", 4]) +
        xlsxRow(["日本 😀", 5]),
    },
  ],
  {
    strings: [
      "id",
      "day",
      "at",
      "amount",
      "<si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si>",
      "",
      "text",
    ],
    formats: ["dd/mm/yyyy;@", 'yyyy\\-mm\\-dd "at" hh:mm'],
  },
);

test("the sheets of a workbook are streams, with the types, dates and cached values of their cells", async () => {
  const { rows, manifest, rejected, notes } = await read({ "book.xlsx": BOOK });
  assert.deepEqual(
    manifest.streams.map(({ name }) => name),
    ["Sales", "Secret-plans"],
  );
  assert.deepEqual(rows("Sales"), [
    { id: 7, day: "2024-03-01", at: "2024-03-01T10:30:00", amount: 0.3, text: "rich" },
    { id: 8, day: "1900-02-28", at: "1900-03-01T00:00:00", text: "x\ny" },
    { id: 9, amount: 0.001, text: "true" },
  ]);
  assert.deepEqual(types(manifest), {
    id: "integer",
    day: "date",
    at: "string",
    amount: "number",
    text: "string",
  });
  assert.deepEqual(manifest.streams[0]?.primary_key, ["id"]);
  assert.deepEqual(rows("Secret-plans"), [
    { row: 1, name: "tea", time: 4 },
    { row: 2, name: "日本 😀", time: 5 },
  ]);
  assert.deepEqual(rejected, []);
  assert.deepEqual(notes, [
    "book.xlsx, sheet Sales: 1 cells hold an error instead of a value and were left empty.",
    "book.xlsx, sheet Secret plans: the first 1 rows come before the table and were not read.",
    "book.xlsx, sheet Secret plans: the workbook hides this sheet; it was read.",
  ]);
});

test("reading resumes after every checkpoint, in the middle of a sheet too", async () => {
  const whole = await read({ "book.xlsx": BOOK });
  for (const [at, { checkpoint }] of whole.items.entries()) {
    const rest = await read({ "book.xlsx": BOOK }, checkpoint);
    assert.deepEqual(rest.items, whole.items.slice(at + 1));
  }
});

test("dates count from 1904 where the workbook says so, and from 1900 otherwise", async () => {
  const rows = `${xlsxRow(["name", "day"])}<row><c t="inlineStr"><is><t>a</t></is></c><c s="1"><v>43890</v></c></row>`;
  const book = (date1904: boolean) => makeXlsx([{ name: "S", rows }], { formats: ["d.m.yy"], date1904 });
  const mac = await read({ "a.xlsx": book(true) });
  const windows = await read({ "a.xlsx": book(false) });
  assert.equal(mac.rows("rows")[0]?.day, "2024-03-01");
  assert.equal(windows.rows("rows")[0]?.day, "2020-02-29");
});

test("a cell merged over rows is in each of them", async () => {
  const rows =
    '<row r="1"><c r="A1" t="str"><v>group</v></c><c r="B1" t="str"><v>who</v></c></row>' +
    '<row r="2"><c r="A2" t="str"><v>red</v></c><c r="B2" t="str"><v>Ann</v></c></row>' +
    '<row r="3"><c r="A3"/><c r="B3" t="str"><v>Ben</v></c></row>' +
    '<row r="4"><c r="B4" t="str"><v>Cid</v></c></row>';
  const after = '<mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>';
  const { rows: read_rows } = await read({ "a.xlsx": makeXlsx([{ name: "S", rows, after }]) });
  assert.deepEqual(
    read_rows("rows").map(({ group, who }) => [group, who]),
    [
      ["red", "Ann"],
      ["red", "Ben"],
      [undefined, "Cid"],
    ],
  );
});

const text = (value: string) =>
  `<table:table-cell office:value-type="string"><office:annotation><text:p>remark</text:p></office:annotation><text:p>${value}</text:p></table:table-cell>`;

const SHEET = {
  name: "Tab 1",
  rows:
    `<table:table-column/><table:table-row>${text("id")}${text("when")}${text("note")}${text("ok")}${text("who")}</table:table-row>` +
    '<table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>' +
    '<table:table-row><table:table-cell office:value-type="float" office:value="1"><text:p>1,00</text:p></table:table-cell>' +
    '<table:table-cell office:value-type="date" office:date-value="2024-03-01"><text:p>1.3.</text:p></table:table-cell>' +
    `${text("a<text:s text:c='2'/>b</text:p><text:p>c")}<table:table-cell office:value-type="boolean" office:boolean-value="true"/>` +
    '<table:table-cell office:value-type="string" table:number-rows-spanned="2"><text:p>Ann</text:p></table:table-cell></table:table-row>' +
    '<table:table-row><table:table-cell office:value-type="float" office:value="2"/><table:table-cell table:number-columns-repeated="3"/><table:covered-table-cell/></table:table-row>' +
    '<table:table-row table:number-rows-repeated="1048500"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>',
};

test("the sheets of an ODS file are read like those of an XLSX file", async () => {
  const hidden = { name: "Tab 2", is_hidden: true, rows: `<table:table-row>${text("x")}</table:table-row>` };
  const { rows, manifest, notes } = await read({ "a.ods": makeOds([SHEET, hidden]) });
  assert.deepEqual(rows("Tab-1"), [
    { id: 1, when: "2024-03-01", note: "a  b\nc", ok: true, who: "Ann" },
    { id: 2, who: "Ann" },
  ]);
  assert.deepEqual(types(manifest), {
    id: "integer",
    when: "date",
    note: "string",
    ok: "boolean",
    who: "string",
  });
  assert.deepEqual(rows("Tab-2"), [{ row: 1, column_1: "x" }]);
  assert.deepEqual(notes, ["a.ods, sheet Tab 2: the workbook hides this sheet; it was read."]);
});

test("R72 a workbook in a folder or in an archive is a table by its signature, and other zipped documents are not", async () => {
  const files = createMemoryFiles("x", {
    "a.bin": BOOK,
    "in.zip": createZip([{ path: "deep/b.ods", content: makeOds([SHEET]) }]),
    "c.xlsx": createZip([{ path: "[Content_Types].xml", content: "" }]),
  });
  const { groups, left_out } = await sortFiles(files, importers);
  assert.deepEqual(
    groups.map(({ importer, place, detection }) => [importer.id, place, detection.confidence]),
    [
      ["table", "", "signature"],
      ["table", "in.zip/", "signature"],
    ],
  );
  assert.deepEqual(
    left_out.map(({ path }) => path),
    ["c.xlsx"],
  );
});

test("R75 hostile workbooks are bounded: repeated cells, deep XML, long rows, and broken parts", async () => {
  const bomb = (rows: string) => makeOds([{ name: "S", rows }]);
  const long = "x".repeat(20_000);
  const wide = `<table:table-row><table:table-cell table:number-columns-repeated="16384" office:value-type="string"><text:p>${long}</text:p></table:table-cell></table:table-row>`;
  const { items } = await read({ "wide.ods": bomb(wide) });
  assert.deepEqual(
    items.map((item) => item.kind === "rejected" && item.reason),
    ["It is longer than 33554432 bytes."],
  );
  const deep = await read({ "deep.ods": bomb("<a>".repeat(5_000)) });
  assert.match(deep.rejected[0]?.reason ?? "", /nests deeper than 1000/);
  const broken = Buffer.from(BOOK);
  broken.fill(0x55, 100, 900);
  const { rejected } = await read({ "broken.xlsx": broken, "good.xlsx": BOOK });
  assert.equal(rejected.length, 1);
  assert.equal(rejected[0]?.place, "broken.xlsx");
});
