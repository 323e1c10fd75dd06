/** OCR with the real program, in the reading process; tests of other files run without it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { drawLetters, drawOnPage, makePng } from "../../../../../testing/files/lettering.ts";
import { makePdf } from "../../../../../testing/files/pdf.ts";
import { documentsWithPictures } from "../../documents/documents.ts";
import { importersWithOcr } from "../../importers.ts";
import { matches, readAll } from "../../read-all.test.ts";
import { describeStatus } from "../extraction.ts";
import { createExtractor } from "../extractor.ts";
import { findOcr } from "./ocr-setup.ts";

const ocr = findOcr("eng", {});
const extractor = createExtractor({ ocr, limits: { ocr_pages: 2 } });
after(() => extractor.close());

const TEXT = "THE TEA IS HOT";
const picture = drawLetters([TEXT]);
const blank = { ...picture, pixels: Buffer.alloc(picture.pixels.length, 255) };

async function read(bytes: Uint8Array) {
  const extraction = await extractor.extract({ bytes });
  assert.ok(extraction.kind === "text", JSON.stringify(extraction));
  return { ...extraction, ...describeStatus(extraction) };
}

suite("R33 text in pictures, with the program that the owner installed", () => {
  test("a picture has its text, marked as read by OCR with its confidence, and is never complete", async () => {
    const { text, text_status, text_problem, ocr: note } = await read(makePng(picture));
    assert.deepEqual([text, text_status], [TEXT, "ocr"]);
    assert.ok(note && note.confidence > 60 && note.confidence <= 100, JSON.stringify(note));
    assert.match(text_problem!, /^Its text was read .* OCR \(eng\), with a confidence of \d+ of 100:/);
  });

  test("a scanned page among pages of text is read in its place, even if cut into strips", async () => {
    const pdf = makePdf([["Typed first"], drawOnPage(picture, 30), ["Typed last"]]);
    const { text, page_starts, page_count, text_status, text_problem } = await read(pdf);
    assert.equal(text, `Typed first\n\n${TEXT}\n\nTyped last`);
    assert.deepEqual([page_starts, page_count], [[0, 13, 29], 3]);
    assert.equal(text_status, "ocr");
    assert.match(text_problem!, /^1 of 3 pages were read from pictures by OCR/);
  });

  test("a picture without letters has no text, and a page that the limit leaves out is missing", async () => {
    const nothing = await read(makePng(blank));
    assert.deepEqual(
      [nothing.text, nothing.text_status, nothing.text_problem],
      ["", "no_text", "OCR (eng) found no text in the picture."],
    );
    const { text_status, text_problem } = await read(makePdf([1, 2, 3].map(() => drawOnPage(picture))));
    assert.equal(text_status, "partial");
    assert.match(
      text_problem!,
      /^1 of 3 pages show only pictures and were not read: OCR ended at its limit of 2 pages\. 2 of 3 /,
    );
  });

  test("a broken picture is no text, and a picture that takes too long fails alone", async () => {
    const broken = await read(makePng(picture).subarray(0, 60));
    assert.equal(broken.text_status, "no_text");
    const hasty = createExtractor({ ocr, limits: { ocr_page_ms: 1 } });
    after(() => hasty.close());
    for (const bytes of [makePng(picture), makePng(picture)])
      assert.deepEqual(await hasty.extract({ bytes }), {
        kind: "failed",
        reason: "Reading a picture took longer than 1 ms.",
      });
    assert.equal((await hasty.extract({ bytes: Buffer.from("plain") })).kind, "text");
  });

  test("pictures of a folder are documents with OCR, and are left out without it", async () => {
    const files = { "scan.png": makePng(picture) };
    const importer = importersWithOcr.find(({ id }) => id === "documents")!;
    assert.equal(importer, documentsWithPictures);
    const extracting = {
      ...importer,
      manifest: importer.manifest,
      read: (source: Parameters<typeof importer.read>[0]) =>
        importer.read({ ...source, extractText: extractor.extract, reads_pictures: true }),
    };
    const { stream } = await readAll(extracting, files);
    const { title, text, text_status, ocr_confidence, file } = stream("documents").get("scan.png")!;
    assert.deepEqual([title, text, text_status], ["scan", TEXT, "ocr"]);
    assert.ok(Number(ocr_confidence) > 60 && file);
  });
});

test("a picture is recognized as a document only where OCR reads it", async () => {
  const { createMemoryFiles } = await import("../../files/memory-files.ts");
  const { documents } = await import("../../documents/documents.ts");
  const files = createMemoryFiles("x", { "scan.png": makePng(picture) });
  assert.deepEqual(
    [await matches(documents, files), await matches(documentsWithPictures, files)],
    [false, true],
  );
});

test("missing data is refused with the command that installs it, and a path is not accepted as a language", () => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-ocr-"));
  after(() => rmSync(folder, { recursive: true }));
  const find = (languages: string, env: Record<string, string>) => () => findOcr(languages, env);
  const refuse =
    (message: RegExp, next: RegExp) => (error: { message: string; details: { next: string } }) => {
      assert.match(error.message, message);
      assert.match(JSON.stringify(error), next);
      return true;
    };
  assert.throws(
    find("eng", { RUNGS_OCR_DIR: folder }),
    refuse(
      /Tesseract is not installed/,
      /npm install --global tesseract\.js-core@7 @tesseract\.js-data\/eng/,
    ),
  );
  assert.throws(find("eng+deu", {}), refuse(/the data of the language deu is not installed/, /data\/deu/));
  for (const languages of ["", "../eng", "eng/../../x", "ENG", "eng+", "e"])
    assert.throws(find(languages, {}), refuse(/is not a Tesseract language/, /eng\+deu/), languages);
});

test("data of a language may come from the owner's folder", () => {
  const folder = mkdtempSync(join(process.cwd(), "node_modules", ".ocr-test-"));
  after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "deu.traineddata"), "data");
  const { languages } = findOcr("deu", { RUNGS_OCR_DIR: folder });
  assert.deepEqual(languages, [{ code: "deu", file: join(folder, "deu.traineddata") }]);
});
