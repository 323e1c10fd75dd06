import assert from "node:assert/strict";
import { test } from "node:test";
import { sliceChars } from "@rungs/evidence";
import { makeEpub, makePptx, makeShape } from "../../../../testing/files/office.ts";
import { makeDoc } from "../../../../testing/files/ole.ts";
import { makeXlsx, xlsxRow } from "../../../../testing/files/workbook.ts";
import { extractDocument } from "./extract-document.ts";
import type { Extraction } from "./extraction.ts";
import { EXTRACTION_LIMITS } from "./limits.ts";

const extract = (bytes: Uint8Array): Promise<Extraction> => extractDocument({ bytes }, EXTRACTION_LIMITS);

function requireText(extraction: Extraction): Extract<Extraction, { kind: "text" }> {
  assert.equal(extraction.kind, "text", JSON.stringify(extraction));
  return extraction as Extract<Extraction, { kind: "text" }>;
}

function splitPages({ text, page_starts = [] }: Extract<Extraction, { kind: "text" }>): string[] {
  return page_starts.map((start, at) => sliceChars(text, start, page_starts[at + 1]).trim());
}

test("R33 a presentation is its slides in order, with titles, tables and notes; a page is a slide", async () => {
  const table =
    "<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>a</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>b</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>";
  const number = makeShape(["7"], "sldNum");
  const extraction = requireText(
    await extract(
      makePptx(
        [
          { shapes: makeShape(["Tea &amp; 茶 😀"], "ctrTitle") + number },
          {
            shapes: makeShape(["Plan"], "title") + makeShape(["one", "two"]) + table,
            notes: makeShape(["Say hello"], "body") + number,
          },
          { shapes: makeShape(["Later"]), is_hidden: true },
        ],
        "Deck",
      ),
    ),
  );
  assert.deepEqual(splitPages(extraction), [
    "Slide 1: Tea & 茶 😀",
    "Slide 2: Plan\n\none\ntwo\n\na | b\n\nNotes: Say hello",
    "Slide 3 (hidden)\n\nLater",
  ]);
  assert.deepEqual([extraction.title, extraction.page_count], ["Deck", 3]);
});

test("R33 a book is its chapters in reading order, under its title and authors", async () => {
  const metadata = "<dc:title>The  Book</dc:title><dc:creator>Ann</dc:creator><dc:creator>Ben</dc:creator>";
  const extraction = requireText(
    await extract(makeEpub(["<h1>One</h1><p>first</p>", "<p>second</p><script>x</script>"], metadata)),
  );
  assert.deepEqual(splitPages(extraction), ["The Book\nAnn, Ben\n\nOne\n\nfirst", "second"]);
  assert.equal(extraction.title, "The Book");
});

test("R33 a Word document of the older kind is its text", async () => {
  assert.equal(
    requireText(await extract(makeDoc("Quarterly “report”\n日本 tea"))).text,
    "Quarterly “report”\n日本 tea",
  );
  const large = "word ".repeat(20_000).trim();
  assert.equal(requireText(await extract(makeDoc(large))).text, large);
});

test("R33 the text of a workbook has a line for each row, under the names of its sheets", async () => {
  const rows = xlsxRow(["id", "name"]) + xlsxRow([1, "tea\nmilk"]);
  const { text } = requireText(await extract(makeXlsx([{ name: "S", rows }])));
  assert.equal(text, "Sheet S\nid | name\n1 | tea milk");
});

const rtf: readonly (readonly [title: string, source: string, text: string])[] = [
  [
    "paragraphs and signs",
    "{\\rtf1\\ansi a\\b b\\b0\\par c\\tab d\\emdash\\{x\\}\\~y\\line z}",
    "ab\nc\td—{x}\u00a0y\nz",
  ],
  ["a code page", "{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0\\'e8}", "При"],
  [
    "fonts of several charsets, with characters of two bytes",
    "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset128 Mincho;}}\\f0 caf\\'e9 {\\f1 \\'93\\'fa\\'96\\'7b} \\'e9}",
    "café 日本 é",
  ],
  [
    "Unicode, with and without a fallback",
    "{\\rtf1\\ansi\\uc1 \\u8364?\\u-10179?\\u-8704? {\\uc0\\u252 b} {\\uc2\\u252\\'fc\\'fcx}}",
    "€😀 üb üx",
  ],
  [
    "groups that are not text",
    "{\\rtf1{\\colortbl;\\red0;}{\\*\\generator Word;}{\\pict\\bin3 {}}}{\\stylesheet{\\s1 Title;}}seen{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt link}}}",
    "seenlink",
  ],
  ["rows of a table", "{\\rtf1 a\\cell b\\cell\\row c\\cell d\\cell\\row}", "a | b\nc | d"],
  [
    "HTML that Outlook wrapped",
    "{\\rtf1\\fromhtml1{\\*\\htmltag <p>}\\htmlrtf {\\f1 \\htmlrtf0 Hi {\\*\\htmltag <b>}\\htmlrtf {\\b \\htmlrtf0 you\\htmlrtf }\\htmlrtf0 {\\*\\htmltag </b></p>}\\htmlrtf }\\htmlrtf0 }",
    "Hi you",
  ],
];

for (const [title, source, text] of rtf) {
  test(`R33 RTF: ${title}`, async () => {
    assert.equal(requireText(await extract(Buffer.from(source, "latin1"))).text, text);
  });
}

test("RTF has its title, and an unknown code page is reported", async () => {
  const extraction = requireText(
    await extract(Buffer.from("{\\rtf1\\ansicpg437{\\info{\\title My \\'74ext}{\\author A}}x}", "latin1")),
  );
  assert.deepEqual([extraction.title, extraction.text], ["My text", "x"]);
  assert.match(extraction.uncertain ?? "", /code page/);
});

test("R75 hostile documents terminate: endless groups, deep XML, a broken compound file", async () => {
  assert.equal((await extract(Buffer.from(`{\\rtf1${"{".repeat(200_000)}`))).kind, "failed");
  assert.equal((await extract(Buffer.from(`{\\rtf1 ${"\\'".repeat(200_000)}`))).kind, "text");
  const deep = makePptx([{ shapes: "<a>".repeat(5_000) }]);
  assert.equal((await extract(deep)).kind, "failed");
  const ole = Buffer.alloc(4_096, 1);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(ole);
  assert.equal((await extract(ole)).kind, "unsupported");
});
