import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { sliceChars } from "@rungs/evidence";
import { makeDocx, makeDocxPart, packDocx } from "../../../../testing/files/docx.ts";
import { makePdf } from "../../../../testing/files/pdf.ts";
import type { Extraction } from "./extraction.ts";
import { createExtractor } from "./extractor.ts";
import { createDataFactory } from "./pdf-cmaps.ts";

const MIB = 1024 ** 2;
const extractor = createExtractor();
after(() => extractor.close());

const read = (bytes: Uint8Array | string, file_name?: string): Promise<Extraction> =>
  extractor.extract({ bytes: Buffer.from(bytes), file_name });

function requireText(extraction: Extraction): Extract<Extraction, { kind: "text" }> {
  assert.equal(extraction.kind, "text", JSON.stringify(extraction));
  return extraction as Extract<Extraction, { kind: "text" }>;
}

function requireReason(extraction: Extraction, kind: "failed" | "unsupported"): string {
  assert.equal(extraction.kind, kind, JSON.stringify(extraction).slice(0, 300));
  return (extraction as { reason: string }).reason;
}

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

  test("R33 says what it lacks: the pages of pictures, not the empty ones", async () => {
    const missing = async (pdf: Uint8Array) => requireText(await read(pdf)).missing;
    const scan = Buffer.from("q 600 0 0 700 0 0 cm BI /W 2 /H 2 /CS /G /BPC 8 ID abcd EI Q");
    assert.equal(
      await missing(makePdf([scan])),
      "1 of 1 pages have no text layer, only pictures. Add one with a program for OCR, such as OCRmyPDF, and import the file again.",
    );
    assert.equal(
      await missing(makePdf([["x"], scan, []])),
      "1 of 3 pages have no text layer, only pictures. Add one with a program for OCR, such as OCRmyPDF, and import the file again.",
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

suite("no text, and the reason,", () => {
  test("comes from a file that is not a document: by its bytes, whatever its name", async () => {
    const png = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1");
    assert.equal(
      requireReason(await read(png, "a.txt"), "unsupported"),
      "No text is read from image/png files.",
    );
    const binary = Buffer.from([1, 2, 3, 0, 5, 6]);
    assert.match(requireReason(await read(binary, "a.md"), "unsupported"), /octet-stream/);
    assert.match(requireReason(await read("SQLite format 3\0", "a.txt"), "unsupported"), /sqlite/);
  });

  test("comes from a broken document, and quotes nothing of it", async () => {
    assert.equal(requireReason(await read("%PDF-1.4 secret", "a.pdf"), "failed"), "It is not a valid PDF.");
    const whole = makeDocx(["secret"]);
    const cut = whole.subarray(0, whole.length - 40);
    assert.doesNotMatch(requireReason(await read(cut), "failed"), /secret/);
    const unclosed = packDocx("<w:body><w:p><secret");
    assert.doesNotMatch(requireReason(await read(unclosed), "failed"), /secret/);
  });

  test("comes from a PDF that is locked with a password", async () => {
    const locked = makePdf([["secret"]], { locked: true });
    assert.equal(requireReason(await read(locked), "failed"), "It is protected by a password.");
  });

  test("comes from a Word document of endless nesting", async () => {
    const deep = packDocx(`<w:body>${"<w:sdt><w:sdtContent>".repeat(50_000)}`);
    requireReason(await read(deep), "failed");
    assert.equal(requireText(await read("still here")).text, "still here");
  });
});

suite("a limit", () => {
  test("of pages and of characters cuts the text and reports it", async () => {
    const small = createExtractor({ limits: { pages: 2, text_chars: 30 } });
    try {
      const pages = requireText(await small.extract({ bytes: makePdf([["one"], ["two"], ["three"]]) }));
      assert.deepEqual([pages.cut, pages.page_count, pages.page_starts?.length], ["pages", 3, 2]);
      assert.equal(pages.text.trim(), "one\n\ntwo");
      const long = requireText(await small.extract({ bytes: Buffer.from(`${"x".repeat(29)}\u{1f600}y`) }));
      assert.deepEqual([long.cut, long.text], ["text_chars", "x".repeat(29)]);
    } finally {
      await small.close();
    }
  });

  test("of size refuses a document without reading it", async () => {
    const small = createExtractor({ limits: { input_bytes: 10 } });
    const extraction = await small.extract({ bytes: Buffer.alloc(11, "x") });
    assert.equal(requireReason(extraction, "failed"), "It is larger than 10 bytes.");
    await small.close();
  });

  test("of unpacked bytes holds for declared and for false sizes", async () => {
    const small = createExtractor({ limits: { unpacked_bytes: MIB } });
    const bomb = { path: "word/bomb.xml", content: Buffer.alloc(8 * MIB), packed: true };
    try {
      const honest = await small.extract({ bytes: makeDocx(["a"], "", [bomb]) });
      assert.equal(requireReason(honest, "failed"), `It unpacks to more than ${MIB} bytes.`);
      const lying = await small.extract({ bytes: makeDocx(["a"], "", [{ ...bomb, claimed_bytes: 10 }]) });
      requireReason(lying, "failed");
    } finally {
      await small.close();
    }
  });

  test("of memory stops a zip bomb in a PDF, and the next document is read", async () => {
    const small = createExtractor({ limits: { memory_bytes: 160 * MIB } });
    try {
      const bomb = makePdf([Buffer.alloc(256 * MIB, " ")]);
      assert.ok(bomb.length < MIB);
      const reason = requireReason(await small.extract({ bytes: bomb }), "failed");
      assert.equal(reason, `Reading it took more than ${160 * MIB} bytes of memory.`);
      assert.equal(requireText(await small.extract({ bytes: Buffer.from("next") })).text, "next");
    } finally {
      await small.close();
    }
  });
});

/** Programs that imitate a library that misbehaves, which no document does on demand. */
suite("a process that", () => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-extract-"));
  after(() => rmSync(folder, { recursive: true }));
  const watch = JSON.stringify(new URL("./process-watch.ts", import.meta.url).href);

  const writeProgram = (name: string, then: string): URL => {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(
      file,
      `import { watchProcess } from ${watch};
watchProcess(Number(process.argv[2]));
process.on("message", ({ request }) => {
  const text = new TextDecoder().decode(request.bytes);
  if (text === "bad") { ${then} }
  process.send({ kind: "text", text });
});
process.send("ready");`,
    );
    return pathToFileURL(file);
  };

  const misbehaviours = [
    ["hangs", "for (;;);", /took longer than 300 ms/],
    ["fills its heap", "const all = []; for (;;) all.push(Array(1000).fill(all.length));", /bytes of memory/],
    [
      "fills its buffers",
      "const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1));",
      /bytes of memory/,
    ],
    ["throws", "throw new Error('secret');", /crashed/],
    ["ends", "process.exit(0);", /crashed/],
  ] as const;

  for (const [name, then, reason] of misbehaviours) {
    test(`${name} fails its document alone and is replaced`, async () => {
      const time_ms = name === "hangs" ? 300 : 60_000;
      const limits = { time_ms, memory_bytes: 100 * MIB };
      const breaking = createExtractor({ script: writeProgram(name, then), limits });
      const [one, bad, two] = await Promise.all(
        ["one", "bad", "two"].map((text) => breaking.extract({ bytes: Buffer.from(text) })),
      );
      assert.match(requireReason(bad!, "failed"), reason);
      assert.deepEqual([requireText(one!).text, requireText(two!).text], ["one", "two"]);
      await breaking.close();
    });
  }
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

suite("the process that reads documents is confined", () => {
  /** A program that tries something and answers with what happened. */
  async function attempt(code: string): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), "rungs-confined-"));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const script = join(folder, "reader.js");
    const network = new URL("./close-network.ts", import.meta.url).href;
    writeFileSync(
      script,
      `import ${JSON.stringify(network)};
       process.on("message", async () => {
         const text = await (async () => { ${code} })().catch((error) => "refused " + (error.code ?? error.message));
         process.send({ kind: "text", text: String(text) });
       });
       process.send("ready");`,
    );
    const confined = createExtractor({ script: pathToFileURL(script) });
    try {
      return requireText(await confined.extract({ bytes: Buffer.from("x") })).text;
    } finally {
      await confined.close();
      rmSync(folder, { recursive: true });
    }
  }

  test("it has none of the owner's environment", async () => {
    process.env.RUNGS_TOKEN = "a secret";
    const names = await attempt("return Object.keys(process.env).join()");
    delete process.env.RUNGS_TOKEN;
    assert.doesNotMatch(names, /RUNGS|HOME|PATH/);
  });

  test("it reads no file outside its packages, writes none, and starts no program", async () => {
    const file = JSON.stringify(join(tmpdir(), "rungs-confined-file"));
    const fs = 'const fs = await import("node:fs");';
    assert.equal(
      await attempt(`${fs} return fs.readFileSync("/etc/hostname", "utf8")`),
      "refused ERR_ACCESS_DENIED",
    );
    assert.equal(
      await attempt(`${fs} return fs.readdirSync(${JSON.stringify(tmpdir())})`),
      "refused ERR_ACCESS_DENIED",
    );
    assert.equal(await attempt(`${fs} return fs.writeFileSync(${file}, "x")`), "refused ERR_ACCESS_DENIED");
    const program = 'const { execSync } = await import("node:child_process"); return execSync("id")';
    assert.equal(await attempt(program), "refused ERR_ACCESS_DENIED");
  });

  test("it reaches no network", async () => {
    const none = "refused This process has no network.";
    assert.equal(await attempt('const net = await import("node:net"); net.connect(9, "127.0.0.1")'), none);
    assert.equal(await attempt('const { get } = await import("node:http"); get("http://127.0.0.1:9")'), none);
    assert.equal(
      await attempt('const dns = await import("node:dns/promises"); await dns.lookup("localhost")'),
      none,
    );
    assert.match(await attempt('return await fetch("http://127.0.0.1:9")'), /^refused fetch is not defined/);
  });
});
