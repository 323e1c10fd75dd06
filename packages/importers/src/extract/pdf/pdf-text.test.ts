import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { makePdf } from "../../../../../testing/files/pdf.ts";
import { EXTRACTION_LIMITS } from "../limits.ts";
import { joinBrokenWords, joinItems } from "./page-text.ts";
import { extractPdf } from "./pdf-text.ts";

async function read(...[pages, options]: Parameters<typeof makePdf>) {
  const extraction = await extractPdf(new Uint8Array(makePdf(pages, options)), EXTRACTION_LIMITS);
  assert.ok(extraction.kind === "text");
  return extraction;
}

suite("R33 the text of a PDF", () => {
  test("has what signatures, stamps, buttons and lists draw, line by line", async () => {
    const drawn = "/Rect [0 0 99 99] /AP << /N 7 0 R >>";
    const widget = (more: string) => `<< /Type /Annot /Subtype /Widget ${drawn} ${more} >>`;
    const annotations = [
      widget("/FT /Sig /T (s)"),
      widget("/FT /Btn /Ff 65536 /T (b)"),
      widget("/FT /Ch /T (c) /Opt [[(1) (One)] [(2) (Two)]] /V (2)"),
      widget("/FT /Sig /T (h) /F 2"),
      `<< /Type /Annot /Subtype /Stamp ${drawn} >>`,
      `<< /Type /Annot /Subtype /Link ${drawn} >>`,
    ];
    const { text } = await read([["Page"]], { annotations, appearances: [["Signed by", "Ann"]] });
    assert.equal(text.split("\n").filter((line) => line === "Signed by").length, 4);
    assert.equal(text.split("\n").filter((line) => line === "Ann").length, 4);
    assert.ok(text.split("\n").includes("Two"), "the choice as readers see it, not by its export value");
  });

  test("joins words that are broken at the end of a line, and keeps compounds", async () => {
    const lines = ["copy-", "right and well-", "known, A-", "B, 10-", "12, well-known"];
    const { text, page_starts } = await read([lines, ["next"]]);
    assert.equal(text, "copyright and well-known, A-\nB, 10-\n12, well-known\n\nnext");
    assert.deepEqual(page_starts, [0, text.indexOf("next")]);
    assert.deepEqual(joinBrokenWords(["soft\u00ad\nhyphen", "none"]), ["softhyphen", "none"]);
  });

  test("has text drawn twice in one place only once", () => {
    const item = (str: string, x: number, hasEOL = false) => ({
      str,
      hasEOL,
      height: 10,
      transform: [10, 0, 0, 10, x, 0],
    });
    assert.equal(joinItems([item("bold", 5), item("bold", 5.3, true), item("bold", 50), {}]), "bold\nbold");
    assert.equal(joinItems([item("ha", 5), item("ha", 15)]), "haha");
  });

  test("reports fonts without character codes, and reads old-style digits, small capitals and bullets", async () => {
    const item = (str: string) => ({ str, hasEOL: false, height: 1, transform: [] });
    assert.equal(joinItems([item("\uf731\uf739\uf761\uf77a\uf0b7\u0081")]), "19az\u2022\ufffd");
    const { text, missing } = await read([Buffer.from("BT /F1 12 Tf 72 720 Td <41818242> Tj ET")], {
      font: "<< /Type /Font /Subtype /Type1 /BaseFont /Any /Encoding << /Differences [129 /odd.one /odd.two] >> >>",
    });
    assert.equal(text, "A\ufffd\ufffdB");
    assert.equal(missing, "Some of its fonts do not say which characters they show.");
  });

  test("reads glyphs that a font names as variants of a letter or a digit", async () => {
    const { text, missing } = await read([Buffer.from("BT /F1 12 Tf 72 720 Td <41818242> Tj ET")], {
      font: "<< /Type /Font /Subtype /Type1 /BaseFont /Any /Encoding << /Differences [129 /one.os /x.sc] >> >>",
    });
    assert.deepEqual([text, missing], ["A1xB", undefined]);
  });

  test("infers the borders of words and lines from positions", () => {
    const item = (str: string, x: number, y = 0, width = 10) => ({
      str,
      hasEOL: false,
      width,
      height: 10,
      transform: [10, 0, 0, 10, x, y],
    });
    assert.equal(joinItems([item("test", 0), item("1", 200)]), "test 1");
    assert.equal(joinItems([item("2", 500), item("Louise", 400, 100)]), "2\nLouise");
    assert.equal(joinItems([item("kern", 0), item("ed", 10.5), item("2", 21, 4)]), "kerned2");
    // Fake bold: draws each letter again, slightly offset.
    const bold = [
      item("T", 0),
      item("T", 0.2),
      item("Te", 0.2, 0, 20),
      item("e", 10.1),
      item("es", 10.2, 0, 20),
    ];
    assert.equal(joinItems(bold), "Tes");
    const turned = { ...item("up", 0), transform: [0, 10, -10, 0, 0, 50] };
    assert.equal(joinItems([turned, item("right", 300)]), "upright");
  });

  test("keeps a mark with its letter, and a leading vowel with its word", () => {
    const item = (str: string) => ({ str, hasEOL: false, height: 1, transform: [] });
    assert.equal(joinItems([item("দব্ ীন িশিখ পর্ কাশনী")]), "দব্ীন িশিখ পর্কাশনী");
  });
});
