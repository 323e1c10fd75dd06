/** Broken files of every import format, for fuzz tests and for `npm run bench fuzz`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { makeDocx, makeDocxPart } from "../files/docx.ts";
import { makeHistoryDatabases } from "../files/history-db.ts";
import { makeEpub, makePptx, makeShape } from "../files/office.ts";
import { makeDoc, makeMsg } from "../files/ole.ts";
import { makeSlackDatabase } from "../files/slack-db.ts";
import { makeOds, makeXlsx, xlsxRow } from "../files/workbook.ts";
import { createZip, listZip } from "../files/zip.ts";
import { mangledBytes, mangledText, overwrittenBytes } from "./mangled.ts";
import { samples } from "./samples.ts";

/** Files by path. */
export type FileContents = Readonly<Record<string, Uint8Array>>;

/** A format, and how its files are broken. */
export interface BrokenFormat {
  readonly name: string;
  readonly importer: string;
  readonly whole: FileContents;
  readonly broken: fc.Arbitrary<FileContents>;
  /** How many items of a file are broken, where that is more than one. */
  readonly items?: number;
  /** Whether the importer reads these files only from a disk. */
  readonly is_on_disk?: boolean;
}

const SLACK_MESSAGE = { type: "message", user: "U1", text: "The <@U1> kiln", ts: "1700000001.000200" };

/** Exports of one or more files, each of which is broken. */
export const exportFormats: readonly BrokenFormat[] = [
  ...Object.entries(samples).map(([importer, files]) => breakFiles(importer, importer, files)),
  breakFiles("slackdump, database", "slack", {
    "slackdump.sqlite": makeSlackDatabase([{ id: "U1" }], { id: "C012345678", name: "clay" }, [
      [1, 1, SLACK_MESSAGE],
    ]),
  }),
  { ...breakFiles("browser, databases", "browser", makeHistoryDatabases()), is_on_disk: true },
];

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
const ODS = makeOds([
  {
    name: "S",
    rows: '<table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="float" office:value="1" table:number-rows-spanned="2"/><table:table-cell table:number-columns-repeated="3"><text:p>a<text:s text:c="2"/>b</text:p></table:table-cell></table:table-row>',
  },
]);

/** Workbooks, read as tables. */
export const workbookFormats: readonly BrokenFormat[] = [
  breakPackage("XLSX", "table", XLSX),
  breakPackage("ODS", "table", ODS),
];

const RTF =
  "{\\rtf1\\ansi\\ansicpg1251\\uc1{\\fonttbl{\\f1\\fcharset128 M;}}{\\info{\\title T}}{\\*\\x y}a\\'cf {\\f1 \\'93\\'fa}\\u8364?\\par b\\cell c\\row}";
const ODT = createZip([
  { path: "mimetype", content: "application/vnd.oasis.opendocument.text" },
  {
    path: "content.xml",
    content:
      '<?xml version="1.0"?><office:document-content><office:body><office:text><text:h>T</text:h><text:p>One<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Foot</text:p></text:note-body></text:note><text:s text:c="2"/>x<office:annotation><text:p>Why?</text:p></office:annotation></text:p><table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row></table:table></office:text></office:body></office:document-content>',
  },
  { path: "styles.xml", content: "<a><style:header><text:p>Draft</text:p></style:header></a>" },
  { path: "meta.xml", content: "<m><dc:title>A</dc:title></m>" },
]);
const MSG = makeMsg({
  properties: { "0037001F": "s", "1000001F": "b", "007D001F": "From: a@b\r\n" },
  recipients: [{ "3001001F": "Ben", "0C150003": 1 }],
  attachments: [{ "3707001F": "a.txt", "37010102": Buffer.from("x"), "37050003": 1 }],
});
const DOCX = makeDocx(["Some words", "more"], "t", [
  makeDocxPart(
    "footnotes",
    "footnotes",
    '<w:footnote w:id="2"><w:p><w:r><w:t>n</w:t></w:r></w:p></w:footnote>',
  ),
]);

/** Documents that are read in the extraction process. */
export const documentFormats: readonly BrokenFormat[] = [
  breakPackage("DOCX", "documents", DOCX),
  breakPackage("ODT", "documents", ODT),
  breakPackage(
    "PPTX",
    "documents",
    makePptx([{ shapes: makeShape(["a", "b"], "title"), notes: makeShape(["n"]) }], "t"),
  ),
  breakPackage("EPUB", "documents", makeEpub(["<p>one</p>", "<p>two</p>"], "<dc:title>t</dc:title>")),
  {
    ...breakFiles("RTF", "documents", { a: RTF }),
    broken: mangledText(fc.constant(RTF)).map((text) => ({ a: Buffer.from(text) })),
  },
  breakFiles("DOC", "documents", { a: makeDoc("Some words\nmore") }),
  breakFiles("MSG", "mail", { a: MSG }),
];

/** Writes broken files into a folder inside `folder`, in place of those before them; returns its path. */
export function writeBroken(folder: string, contents: FileContents): string {
  const place = join(folder, "broken");
  for (const [path, bytes] of Object.entries(contents)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), bytes);
  }
  return place;
}

function breakFiles(
  name: string,
  importer: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): BrokenFormat {
  const whole = Object.fromEntries(
    Object.entries(files).map(([path, content]) => [path, Buffer.from(content as string)]),
  );
  const parts = Object.entries(whole).map(([path, bytes]) => [path, brokenBytes(bytes)]);
  return { name, importer, whole, broken: fc.record(Object.fromEntries(parts)) };
}

/** Overwrites binary files in place half of the time: shifting their bytes breaks them only superficially. */
function brokenBytes(bytes: Buffer): fc.Arbitrary<Uint8Array> {
  const mangled = mangledBytes(fc.constant(bytes));
  return bytes.includes(0) ? fc.oneof(mangled, overwrittenBytes(bytes)) : mangled;
}

/** A package with one of its parts broken before it is zipped, so that the parsers see it. */
function breakPackage(name: string, importer: string, bytes: Uint8Array): BrokenFormat {
  const texts = listZip(bytes);
  const broken = fc
    .nat(texts.length - 1)
    .chain((at) => mangledText(fc.constant(texts[at]!.content)).map((content) => ({ at, content })))
    .map(({ at, content }) => ({
      a: createZip(texts.map((part, own) => (own === at ? { ...part, content } : part))),
    }));
  return { name, importer, whole: { a: createZip(texts) }, broken };
}
