/** Broken office files: the parts of a package are mutated before they are zipped, so that the parsers see them. */
import assert from "node:assert/strict";
import { after } from "node:test";
import fc from "fast-check";
import { makeEpub, makePptx, makeShape } from "../../../../testing/files/office.ts";
import { makeDoc, makeMsg } from "../../../../testing/files/ole.ts";
import { makeOds, makeXlsx, xlsxRow } from "../../../../testing/files/workbook.ts";
import { createZip } from "../../../../testing/files/zip.ts";
import { fuzz } from "../../../../testing/fuzz/cases.ts";
import { mangledBytes, mangledText } from "../../../../testing/fuzz/mangled.ts";
import { createExtractor } from "../extract/extractor.ts";
import { openPackage } from "../files/inner-zip.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { listEntries } from "../files/probe.ts";
import { tablesImporter } from "../tables/tables.ts";
import { readBroken } from "./read-broken.test.ts";

const XLSX = makeXlsx(
  [
    {
      name: "S",
      rows:
        xlsxRow(["id", "when"]) +
        '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" s="1"><v>45352.5</v></c><c t="e"><v>#N/A</v></c></row>',
      after: '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
    },
  ],
  { strings: ["tea"], formats: ["yyyy-mm-dd hh:mm"] },
);
const RTF =
  "{\\rtf1\\ansi\\ansicpg1251\\uc1{\\fonttbl{\\f1\\fcharset128 M;}}{\\info{\\title T}}{\\*\\x y}a\\'cf {\\f1 \\'93\\'fa}\\u8364?\\par b\\cell c\\row}";
const ODS = makeOds([
  {
    name: "S",
    rows: '<table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="float" office:value="1" table:number-rows-spanned="2"/><table:table-cell table:number-columns-repeated="3"><text:p>a<text:s text:c="2"/>b</text:p></table:table-cell></table:table-row>',
  },
]);

for (const [name, bytes] of [
  ["XLSX", XLSX],
  ["ODS", ODS],
] as const) {
  fuzz(
    `a broken ${name} workbook gives whole rows and rejected items`,
    await mangledPackage(bytes),
    async (broken) => {
      await readBroken(tablesImporter, createMemoryFiles("x", { "a.bin": broken }));
    },
    0.25,
  );
}

/** Documents that are read in the extraction process, with less memory and time: the parsers of compound files follow cycles. */
const documents: readonly (readonly [name: string, broken: fc.Arbitrary<Uint8Array>])[] = [
  [
    "PPTX",
    await mangledPackage(
      makePptx([{ shapes: makeShape(["a", "b"], "title"), notes: makeShape(["n"]) }], "t"),
    ),
  ],
  ["EPUB", await mangledPackage(makeEpub(["<p>one</p>", "<p>two</p>"], "<dc:title>t</dc:title>"))],
  ["RTF", mangledText(fc.constant(RTF)).map((text) => Buffer.from(text))],
  [
    "MSG",
    mangledBytes(
      fc.constant(
        makeMsg({
          properties: { "0037001F": "s", "1000001F": "b", "007D001F": "From: a@b\r\n" },
          recipients: [{ "3001001F": "Ben", "0C150003": 1 }],
          attachments: [{ "3707001F": "a.txt", "37010102": Buffer.from("x"), "37050003": 1 }],
        }),
      ),
    ),
  ],
  ["DOC", mangledBytes(fc.constant(makeDoc("Some words\nmore")))],
];

const extractor = createExtractor({ limits: { memory_bytes: 256 * 1024 ** 2, time_ms: 5_000 } });
after(() => extractor.close());

for (const [name, broken] of documents) {
  fuzz(
    `a broken ${name} has text or a reason`,
    broken,
    async (bytes) => {
      const extraction = await extractor.extract({ bytes });
      if (extraction.kind !== "text") assert.ok(extraction.reason.length < 300);
      else assert.ok(extraction.text.length <= 20 * bytes.length + 1_000, `${extraction.text.length}`);
    },
    0.25,
  );
}

/** A package with one of its parts mutated. */
async function mangledPackage(bytes: Uint8Array): Promise<fc.Arbitrary<Uint8Array>> {
  const [entry] = await listEntries(createMemoryFiles("x", { a: bytes }));
  const parts = await listEntries(await openPackage(entry!));
  const texts = await Promise.all(parts.map(async (part) => Buffer.from(await part.head(1e6)).toString()));
  const broken = fc
    .nat(parts.length - 1)
    .chain((at) => mangledText(fc.constant(texts[at]!)).map((text) => ({ at, text })));
  const order = parts.map(({ path }, at) => ({ path, at }));
  // `mimetype` comes first in the packages of OpenDocument.
  const first = order.toSorted((a, b) => Number(b.path === "mimetype") - Number(a.path === "mimetype"));
  return broken.map(({ at, text }) =>
    createZip(first.map(({ path, at: own }) => ({ path, content: own === at ? text : texts[own]! }))),
  );
}
