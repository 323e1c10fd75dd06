import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeDocx, packDocx } from "../../../../testing/files/docx.ts";
import { makePdf } from "../../../../testing/files/pdf.ts";
import type { Extraction } from "./extraction.ts";
import { createExtractor } from "./extractor.ts";
import { requireReason, requireText } from "./require-extraction.test.ts";

const MIB = 1024 ** 2;
const extractor = createExtractor();
after(() => extractor.close());

const read = (bytes: Uint8Array | string, file_name?: string): Promise<Extraction> =>
  extractor.extract({ bytes: Buffer.from(bytes), file_name });

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

  test("comes from a Word document nested without end", async () => {
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

  test("on unpacked bytes holds for true and false declared sizes", async () => {
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

/** Programs that simulate a misbehaving library, which no document triggers on demand. */
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

suite("the process that reads documents is confined", () => {
  /** A program that tries something and returns the outcome. */
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
