/**
 * Broken exports: every importer reads what it can and rejects the rest, item by item. Besides the samples here, every
 * file of the corpora is mutated, where they are available.
 */

import assert from "node:assert/strict";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  type Extraction,
  type ExtractionRequest,
  importers,
  openFiles,
  requireImporter,
} from "@rungs/importers";
import fc from "fast-check";
import { countCases, fuzz, settle } from "../../../../testing/fuzz/cases.ts";
import { exportFormats, writeBroken } from "../../../../testing/fuzz/formats.ts";
import { mangledBytes, mangledText } from "../../../../testing/fuzz/mangled.ts";
import { heldBytes } from "../../../../testing/fuzz/memory.ts";
import { createBrokenSource, readBroken } from "../../../../testing/fuzz/read-broken.ts";
import { ARCHIVE } from "../../../../testing/fuzz/samples.ts";
import { PAGE } from "../../../../testing/fuzz/text-samples.ts";
import { Random } from "../../../../testing/random.ts";
import { htmlToText } from "../extract/html-text.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { matches as matchesFiles } from "../read-all.test.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-fuzz-"));
after(() => rmSync(folder, { recursive: true }));

fuzz(
  "the text of a page is no longer than the page, whatever it is",
  mangledText(fc.constant(PAGE)),
  (html) => {
    const { text, hidden = "", title = "", links } = htmlToText(html);
    const out = [text, hidden, title, ...links].reduce((sum, each) => sum + each.length, 0);
    assert.ok(out <= 2 * html.length + 100, `${out} characters of ${html.length}`);
    assert.ok(links.every((link) => !/^(?:javascript|data):/i.test(link)));
  },
);

test("a tag named like an inherited member is a tag like any other", () => {
  const html = '<constructor>tea</constructor><constructor style="display:none">no</constructor>';
  const { text, hidden } = htmlToText(html);
  assert.deepEqual([text, hidden], ["tea", "no"]);
});

fuzz(
  "an archive is read within the sizes that it declares, or refused",
  mangledBytes(fc.constant(ARCHIVE)),
  async (bytes) => {
    const file = join(folder, "archive.zip");
    writeFileSync(file, bytes);
    const files = await settle(() => openFiles(file));
    if (!files) return;
    for await (const entry of files.list()) {
      assert.doesNotMatch(entry.path, /(?:^|\/)\.\.(?:\/|$)|^\/|\\/);
      let size = 0;
      await settle(async () => {
        for await (const piece of entry.open()) size += piece.length;
      });
      assert.ok(size <= entry.size_bytes, entry.path);
    }
    await files.close();
  },
  0.25,
);

/** Embedded documents are read as pages, in this process. */
const extractText = async ({ bytes }: ExtractionRequest): Promise<Extraction> => ({
  kind: "text",
  text: htmlToText(Buffer.from(bytes).toString()).text,
});

for (const { name, importer, broken, is_on_disk } of exportFormats) {
  fuzz(
    `a broken export of ${name} gives whole records and rejected items`,
    broken,
    async (contents) => {
      const opened = is_on_disk
        ? await openFiles(writeBroken(folder, contents))
        : createMemoryFiles("export.zip", contents);
      await readBroken(requireImporter(importer), opened, extractText);
    },
    0.25,
  );
}

test("a contact with a repeated type, once as a list, is read", async () => {
  const card = "BEGIN:VCARD\r\nFN:Ada\r\nTEL;TYPE=home;TYPE=voice,cell:1\r\nEND:VCARD\r\n";
  const files = createMemoryFiles("all.vcf", { "all.vcf": card });
  const importer = requireImporter("contacts");
  const items = await Array.fromAsync(
    importer.read(createBrokenSource(files, importer.manifest, extractText)),
  );
  assert.deepEqual(
    items.map(({ kind }) => kind),
    ["record"],
  );
});

const CORPORA = fileURLToPath(new URL("../../../../../shared/corpora/", import.meta.url));
const MAX_FILE_BYTES = 200_000;
/** The most memory that may leak, far below the total size of the files read. */
const HELD_BYTES = 64 * 1024 ** 2;

test("broken files of the corpora are read or rejected, and leak no memory", {
  skip: !existsSync(CORPORA),
}, async (context) => {
  const paths = globSync("**/*", { cwd: CORPORA }).filter((path) => isSmallFile(join(CORPORA, path)));
  assert.ok(paths.length > 100, `${paths.length} files`);
  const random = new Random(Number(process.env.RUNGS_FUZZ_SEED ?? 8));
  const cases = countCases(0.25);
  const before = await heldBytes();
  for (let at = 0; at < cases; at += 1) {
    const path = random.pick(paths);
    const bytes = readFileSync(join(CORPORA, path));
    const [mangled] = fc.sample(mangledBytes(fc.constant(bytes)), {
      numRuns: 1,
      seed: random.below(2 ** 31),
    });
    assert.ok(mangled);
    for (const importer of importers) {
      const files = createMemoryFiles("export", { [basename(path)]: mangled });
      if (await matchesFiles(importer, files)) await readBroken(importer, files, extractText);
    }
  }
  const grown = (await heldBytes()) - before;
  assert.ok(grown < HELD_BYTES, `${grown} bytes more`);
  context.diagnostic(`${cases} of ${paths.length} files`);
});

function isSmallFile(path: string): boolean {
  const stats = statSync(path);
  return stats.isFile() && stats.size < MAX_FILE_BYTES;
}
