import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { after, suite, test } from "node:test";
import { sliceChars } from "@rungs/evidence";
import { makeDocx, makeDocxPart, packDocx } from "../../../../testing/files/docx.ts";
import { makePdf } from "../../../../testing/files/pdf.ts";
import type { Extraction } from "./extraction.ts";
import { createExtractor } from "./extractor.ts";
import { createDataFactory } from "./pdf-cmaps.ts";
import { requireText } from "./require-extraction.test.ts";

const extractor = createExtractor();
after(() => extractor.close());

const read = (bytes: Uint8Array | string, file_name?: string): Promise<Extraction> =>
  extractor.extract({ bytes: Buffer.from(bytes), file_name });

const show = (hex: string) => Buffer.from(`BT /F1 12 Tf 72 720 Td <${hex}> Tj ET`);
const cidText = (text: string) => ({ kind: "text", text, page_starts: [0], page_count: 1 });

/** A font that is not embedded, with a predefined encoding (ISO 32000-1 §9.7.5.2). */
function cidFont(encoding: string, ordering: string): string {
  const system = `<< /Registry (Adobe) /Ordering (${ordering}) /Supplement 0 >>`;
  const base = "/Type /Font /BaseFont /Any";
  return `<< ${base} /Subtype /Type0 /Encoding /${encoding} /DescendantFonts [<< ${base} /Subtype /CIDFontType0 /CIDSystemInfo ${system} >>] >>`;
}

suite("R33 the text of a document", () => {
  test("of a PDF has its pages as offsets, its title and its date", async () => {
    const pdf = makePdf([["First \u00e9", "second line"], [], ["Third (page)"]], {
      title: "A title",
      created: "D:20240501103000+02'00'",
    });
    const { text, page_starts = [], ...rest } = requireText(await read(pdf));
    assert.deepEqual(
      page_starts.map((start, at) => sliceChars(text, start, page_starts[at + 1]).trim()),
      ["First \u00e9\nsecond line", "", "Third (page)"],
    );
    assert.deepEqual(rest, {
      kind: "text",
      title: "A title",
      page_count: 3,
      created_at: "2024-05-01T10:30:00+02:00",
    });
  });

  test("of a PDF in a predefined encoding of CJK is read by its character map", async () => {
    const read_in = async (encoding: string, ordering: string, hex: string) =>
      requireText(await read(makePdf([show(hex)], { font: cidFont(encoding, ordering) })));
    assert.deepEqual(await read_in("90ms-RKSJ-H", "Japan1", "93fa967b8cea"), cidText("\u65e5\u672c\u8a9e"));
    assert.deepEqual(await read_in("GBK-EUC-H", "GB1", "d6d0cec4"), cidText("\u4e2d\u6587"));
    assert.deepEqual(await read_in("ETen-B5-H", "CNS1", "a4a4a4e5"), cidText("\u4e2d\u6587"));
    assert.deepEqual(await read_in("KSCms-UHC-H", "Korea1", "c7d1b1db"), cidText("\ud55c\uae00"));
  });

  test("of a PDF has the values of its form, its text boxes and its comments", async () => {
    const field = (more: string) => `<< /Type /Annot /Subtype /Widget /Rect [0 0 9 9] ${more} >>`;
    const pdf = makePdf([["Name"], ["Next"]], {
      annotations: [
        field("/FT /Tx /T (a[0]) /TU (Your name) /V (Ann)"),
        field("/FT /Tx /T (b) /V <feff65e5672c>"),
        field("/FT /Ch /T (c) /Ff 131072 /Opt [(x) (y)] /V (y)"),
        field("/FT /Tx /T (d) /Ff 8192 /V (password)"),
        field("/FT /Tx /T (e) /F 2 /V (hidden)"),
        "<< /Type /Annot /Subtype /FreeText /Rect [0 0 9 9] /DA (/F1 12 Tf) /Contents (A box) >>",
        "<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (A comment) >>",
      ],
    });
    const { text, missing } = requireText(await read(pdf));
    assert.equal(text, "Name\nA box\nA comment\nYour name: Ann\n\u65e5\u672c\ny\n\nNext");
    assert.equal(missing, undefined);
  });

  test("R33 reports what it lacks: pages with only pictures, not empty ones", async () => {
    const missing = async (pdf: Uint8Array) => requireText(await read(pdf)).missing;
    const scan = Buffer.from("q 600 0 0 700 0 0 cm BI /W 2 /H 2 /CS /G /BPC 8 ID abcd EI Q");
    assert.equal(
      await missing(makePdf([scan])),
      "1 of 1 pages have no text layer, only pictures. Import the file again with --ocr LANG, or add a text layer with a program such as OCRmyPDF.",
    );
    assert.equal(
      await missing(makePdf([["x"], scan, []])),
      "1 of 3 pages have no text layer, only pictures. Import the file again with --ocr LANG, or add a text layer with a program such as OCRmyPDF.",
    );
    assert.equal(
      await missing(makePdf([["x"], [], Buffer.from("q 1 0 0 1 0 0 cm 0 0 9 9 re f Q")])),
      undefined,
    );
  });

  test("of a PDF counts each character map that is missing, and reads no other file", async () => {
    let missing = 0;
    const Factory = createDataFactory(() => {
      missing += 1;
    });
    const fetch = (filename: string) => new Factory().fetch({ kind: "cMapUrl", filename });
    assert.ok((await fetch("UniJIS-UCS2-H.bcmap")).length > 0);
    await assert.rejects(fetch("Unknown.bcmap"));
    await assert.rejects(fetch("../../package.json"));
    assert.equal(missing, 2);
  });

  test("of a Word document is its paragraphs", async () => {
    const docx = makeDocx(["Hello &amp; good day", "\u65e5\u672c\u8a9e"], "Plan &lt;A&gt;");
    assert.deepEqual(requireText(await read(docx, "any.name")), {
      kind: "text",
      text: "Hello & good day\n\n\u65e5\u672c\u8a9e",
      title: "Plan <A>",
      created_at: "2024-05-01T08:30:00Z",
    });
  });

  test("of a Word document has its notes, comments, headers, footers, and a line for each table row", async () => {
    const p = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const refer = (kind: string, id: number) => `<w:r><w:${kind}Reference w:id="${id}"/></w:r>`;
    const row = (...cells: string[]) =>
      `<w:tr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join("")}</w:tr>`;
    const body = [
      `<w:p><w:r><w:t>One</w:t></w:r>${refer("endnote", 2)}${refer("footnote", 2)}<w:r><w:br/><w:t>line</w:t></w:r></w:p>`,
      `<w:p><w:r><w:t>Two</w:t></w:r>${refer("footnote", 3)}${refer("footnote", 2)}${refer("comment", 7)}</w:p>`,
      `<w:tbl>${row(p("Name"), p("Fame"))}${row(p("") + p("Ann"), p("high") + p("er"))}${row(p("Ben"), p(""))}</w:tbl>`,
      p("End"),
    ].join("");
    const parts = [
      makeDocxPart(
        "footnotes",
        "footnotes",
        `<w:footnote w:id="2">${p("Foot \u65e5")}</w:footnote><w:footnote w:id="3"><w:p>${refer("footnote", 3)}${refer("footnote", 4)}</w:p></w:footnote><w:footnote w:id="4">${p("Deep")}</w:footnote>`,
      ),
      makeDocxPart("endnotes", "endnotes", `<w:endnote w:id="2">${p("Rear")}</w:endnote>`),
      makeDocxPart("comments", "comments", `<w:comment w:id="7" w:author="Ann">${p("Why?")}</w:comment>`),
      makeDocxPart("header1", "hdr", p("Draft")),
      makeDocxPart("header2", "hdr", p("Draft")),
      makeDocxPart("footer1", "ftr", p("Secret")),
    ];
    const { text, missing } = requireText(await read(packDocx(`<w:body>${body}</w:body>`, "", parts)));
    assert.deepEqual(text.split("\n\n"), [
      "One[1][2]\nline",
      "Two[3][2][comment 1]",
      "Name | Fame\nAnn | high er\nBen | ",
      "End",
      "[1] Rear",
      "[2] Foot \u65e5",
      "[3] [3][4]",
      "[4] Deep",
      "[comment 1] Ann: Why?",
      "Header: Draft",
      "Footer: Secret",
    ]);
    assert.equal(missing, undefined);
    const broken = packDocx(`<w:body>${p("x")}</w:body>`, "", [makeDocxPart("header1", "hdr", "<w:p><")]);
    const partial = requireText(await read(broken));
    assert.deepEqual(
      [partial.text, partial.missing],
      ["x", "1 of its headers and footers could not be read."],
    );
  });

  test("of a page is what a reader sees", async () => {
    const extraction = await read("<!doctype html><title>T</title><p>seen<p hidden>unseen", "page.bin");
    assert.deepEqual(requireText(extraction), {
      kind: "text",
      text: "seen",
      title: "T",
      hidden: "unseen",
      links: [],
    });
  });

  test("is decoded by its byte order mark, as UTF-8, by the claimed charset, or as windows-1252", async () => {
    const decoded = async (bytes: Uint8Array, mime_type?: string) =>
      requireText(await extractor.extract({ bytes, mime_type })).text;
    assert.equal(await decoded(Buffer.from("\ufeffgr\u00fcn")), "gr\u00fcn");
    assert.equal(await decoded(Buffer.from("\ufeffgr\u00fcn", "utf16le")), "gr\u00fcn");
    assert.equal(await decoded(Buffer.from("\ufeffgr\u00fcn", "utf16le").swap16()), "gr\u00fcn");
    assert.equal(await decoded(Buffer.from("gr\u00fcn \u0096", "latin1")), "gr\u00fcn \u2013");
    const japanese = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);
    assert.equal(await decoded(japanese, "text/plain; charset=Shift_JIS"), "\u65e5\u672c");
    assert.equal(
      await decoded(Buffer.from("gr\u00fcn", "latin1"), "text/plain; charset=klingon"),
      "gr\u00fcn",
    );
    const page = Buffer.concat([Buffer.from('<html><meta charset="shift_jis"><p>'), japanese]);
    assert.equal(await decoded(page), "\u65e5\u672c");
  });

  test("loses NUL and lone surrogates, which no store accepts", async () => {
    const text = Buffer.from("\ufeffa\u0000b\ud800c", "utf16le");
    assert.equal(requireText(await read(text)).text, "ab\ufffdc");
  });
});

const corpus = new URL("../../../../../shared/corpora/pdf/", import.meta.url);

test("PDFs from bug reports are each read, or refused with a reason", {
  skip: !existsSync(corpus),
}, async () => {
  const names = readdirSync(corpus).filter((name) => name.endsWith(".pdf"));
  const kinds = new Map<string, number>();
  for (const name of names) {
    const extraction = await read(readFileSync(new URL(name, corpus)), name);
    kinds.set(extraction.kind, (kinds.get(extraction.kind) ?? 0) + 1);
  }
  assert.deepEqual([names.length, kinds], [25, new Map([["text", 25]])]);
});
