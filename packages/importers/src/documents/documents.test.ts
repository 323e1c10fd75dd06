import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { after, suite, test } from "node:test";
import { makeDocx } from "../../../../testing/files/docx.ts";
import { type FixturePage, makePdf } from "../../../../testing/files/pdf.ts";
import { EXTRACTION_LIMITS } from "../extract/limits.ts";
import { createFileSet } from "../files/file-set.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { matches as matchesFiles, readAll } from "../read-all.test.ts";
import { documents } from "./documents.ts";
import { type Contents, openDocuments, PNG } from "./open-documents.test.ts";

const { importer, read, readOne, close } = openDocuments();
after(close);

suite("a document", () => {
  test("R33 in PDF has the start of each page, and keeps the original", async () => {
    const pdf = makePdf([["One"], ["Two"]], { title: "Report" });
    const { file, ...data } = await readOne("a/report.pdf", pdf);
    assert.deepEqual(data, {
      id: "a~report.pdf",
      title: "Report",
      path: "a/report.pdf",
      folder: "a",
      text: "One\n\nTwo",
      text_status: "complete",
      page_starts: [0, 5],
      page_count: 2,
      mime_type: "application/pdf",
      size_bytes: pdf.length,
    });
    assert.equal((file as { size_bytes: number }).size_bytes, pdf.length);
  });

  test("R33 that consists of pictures says that it has no text layer", async () => {
    const scan = Buffer.from("q 600 0 0 700 0 0 cm BI /W 2 /H 2 /CS /G /BPC 8 ID abcd EI Q");
    const status = async (...pages: FixturePage[]) => {
      const { text_status, text_problem } = await readOne("a.pdf", makePdf(pages));
      return [text_status, text_problem];
    };
    assert.deepEqual(await status(scan), [
      "no_text",
      "1 of 1 pages have no text layer, only pictures. Import the file again with --ocr LANG, or add a text layer with a program such as OCRmyPDF.",
    ]);
    assert.deepEqual(await status(["x"], scan), [
      "partial",
      "1 of 2 pages have no text layer, only pictures. Import the file again with --ocr LANG, or add a text layer with a program such as OCRmyPDF.",
    ]);
    assert.deepEqual(await status(["x"], []), ["complete", undefined]);
  });

  test("is detected by its content, not by its name", async () => {
    const reading = await read({
      a: makeDocx(["word"]),
      "b.txt": makePdf([["pdf"]]),
      "c.txt": "<html><p>page",
    });
    const kinds = [...reading.stream("documents").values()].map(({ text, mime_type }) => [text, mime_type]);
    assert.deepEqual(kinds, [
      ["word", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
      ["pdf", "application/pdf"],
      ["page", "text/html"],
    ]);
  });

  test("that is malformed is stored without text, with the reason and a note to the owner", async () => {
    const reading = await read({ "a.pdf": "%PDF-1.4 broken", "b.txt": "fine" });
    const { text, text_status, text_problem, file } = reading.stream("documents").get("a.pdf")!;
    assert.deepEqual([text, text_status, text_problem], [undefined, "failed", "It is not a valid PDF."]);
    assert.ok(file);
    assert.match(reading.notes.join(), /stored without text: 1;/);
    assert.equal(reading.stream("documents").get("b.txt")?.text, "fine");
  });

  test("of text that is too long is cut, and its original is kept", async () => {
    const size = EXTRACTION_LIMITS.text_chars + 10;
    const { text, text_status, text_problem, file } = await readOne("log.txt", Buffer.alloc(size, "x"));
    assert.equal(String(text).length, EXTRACTION_LIMITS.text_chars);
    assert.deepEqual([text_status, text_problem], ["cut", "Cut at a limit: text_chars."]);
    assert.equal((file as { size_bytes: number }).size_bytes, size);
  });

  test("of text in an undeclared charset is read by its letters, or says that it is uncertain", async () => {
    // Shift_JIS, GB18030, KOI8-R, Latin-2 and windows-1252.
    const texts = [
      [
        "会議の議事録です。来週の予定を確認してください。",
        "89ef8b6382cc8b638e96985e82c582b7814297888f5482cc975c92e882f08a6d944682b582c482ad82be82b382a28142",
      ],
      [
        "会议记录：下周的计划请确认。谢谢大家的参与。",
        "bbe1d2e9bcc7c2bca3bacfc2d6dcb5c4bcc6bbaec7ebc8b7c8cfa1a3d0bbd0bbb4f3bcd2b5c4b2ced3eba1a3",
      ],
      [
        "Протокол собрания. Проверьте план на следующую неделю.",
        "f0d2cfd4cfcbcfcc20d3cfc2d2c1cec9d12e20f0d2cfd7c5d2d8d4c520d0ccc1ce20cec120d3ccc5c4d5c0ddd5c020cec5c4c5ccc02e",
      ],
      [
        "Zażółć gęślą jaźń. Proszę sprawdzić plan na następny tydzień, dziękuję.",
        "5a61bff3b3e62067eab66cb1206a61bcf12e2050726f737aea207370726177647a69e620706c616e206e61206e617374ea706e79207479647a6965f12c20647a69ea6b756aea2e",
      ],
      [
        "Grüße aus München, die Straße ist schön. Größe über alles – „gut“.",
        "4772fcdf6520617573204dfc6e6368656e2c206469652053747261df652069737420736368f66e2e204772f6df6520fc62657220616c6c657320962084677574932e",
      ],
    ];
    for (const [text = "", hex = ""] of texts) {
      const bytes = Buffer.concat([Buffer.from("# Notes\n\n"), Buffer.from(hex, "hex")]);
      for (const name of ["a.txt", "a.md", "a.html"]) {
        const data = await readOne(name, bytes);
        assert.ok(String(data.text).includes(text), `${name}: ${data.text}`);
        assert.deepEqual([data.text_status, data.text_problem], ["complete", undefined]);
      }
    }
    const short = await readOne("a.txt", Buffer.from("gr\u00fcn", "latin1"));
    assert.equal(short.text, "gr\u00fcn");
    assert.match(String(short.text_problem), /encoding is not declared .* windows-1252/);
  });

  test("has a key even when its path is not a valid one", async () => {
    const long = `${"x".repeat(600)}.txt`;
    const keys = [...(await read({ [long]: "a", "line\nfeed.txt": "b" })).stream("documents").keys()];
    assert.deepEqual(
      keys.map((key) => /^[0-9a-f]{64}$/.test(key)),
      [true, true],
    );
  });

  test("whose bytes cannot be read is rejected, and the others are read", async () => {
    const broken = {
      path: "b.txt",
      size_bytes: 5,
      // biome-ignore lint/correctness/useYield: it fails before its first byte.
      async *read(): AsyncGenerator<Uint8Array> {
        throw new Error("EIO");
      },
    };
    const fine = (path: string) => ({
      path,
      size_bytes: 1,
      async *read() {
        yield Buffer.from("x");
      },
    });
    const reading = await readAll(
      importer,
      createFileSet({ name: "f", sources: [fine("a.txt"), broken, fine("c.txt")] }),
    );
    assert.deepEqual(reading.rejected, [
      { kind: "rejected", place: "b.txt", reason: "b.txt cannot be read (EIO).", checkpoint: "1:b.txt" },
    ]);
    assert.deepEqual([...reading.stream("documents").keys()], ["a.txt", "c.txt"]);
  });
});

test("reading resumes after any checkpoint and gives the rest, and nothing else", async () => {
  const files = {
    "a.md": "![[p.png]]",
    "b.pdf": makePdf([["One"]]),
    "c.txt": "text",
    "o.png": PNG,
    "p.png": PNG,
    "z.md": "![[o.png]]",
  };
  const whole = (await read(files)).items;
  assert.equal(whole.length, 6);
  for (const [at, item] of whole.entries()) {
    assert.deepEqual((await read(files, item.checkpoint)).items, whole.slice(at + 1));
  }
});

test("documents are detected beside other files, and not in the folders of programs", async () => {
  const matches = (contents: Contents) => matchesFiles(documents, createMemoryFiles("folder", contents));
  assert.equal(await matches({ "a.md": "x", "b.png": PNG }), true);
  assert.equal(await matches({ "a.md": "x", "b.png": PNG, "c.png": PNG }), true);
  assert.equal(await matches({ "b.png": PNG }), false);
  assert.equal(await matches({ ".a/b.md": "x", "b.png": PNG }), false);
  assert.equal(await matches({ "b.pdf": makePdf([["x"]]) }), true);
  assert.equal(await matches({}), false);
});

const corpus = new URL("../../../../../shared/corpora/pdf/", import.meta.url);

test("25 PDFs from bug reports become 25 documents", { skip: !existsSync(corpus) }, async () => {
  const names = readdirSync(corpus).filter((name) => name.endsWith(".pdf"));
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, corpus))]));
  const reading = await read(files);
  assert.deepEqual([reading.stream("documents").size, reading.rejected], [25, []]);
});
