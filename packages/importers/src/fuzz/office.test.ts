/** Broken workbooks and documents: whole rows, a text, or a reason. */
import assert from "node:assert/strict";
import { after } from "node:test";
import { fuzz } from "../../../../testing/fuzz/cases.ts";
import { documentFormats, workbookFormats } from "../../../../testing/fuzz/formats.ts";
import { readBroken } from "../../../../testing/fuzz/read-broken.ts";
import { createExtractor } from "../extract/extractor.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { requireImporter } from "../importers.ts";

/** Less memory and time than in an import: the parsers of compound files follow cycles. */
const extractor = createExtractor({ limits: { memory_bytes: 256 * 1024 ** 2, time_ms: 5_000 } });
after(() => extractor.close());

for (const { name, importer, broken } of workbookFormats) {
  fuzz(
    `a broken ${name} workbook gives whole rows and rejected items`,
    broken,
    async (contents) => {
      await readBroken(requireImporter(importer), createMemoryFiles("x", contents), extractor.extract);
    },
    0.25,
  );
}

for (const { name, broken } of documentFormats) {
  fuzz(
    `a broken ${name} has text or a reason`,
    broken,
    async ({ a: bytes }) => {
      const extraction = await extractor.extract({ bytes: bytes! });
      if (extraction.kind !== "text") assert.ok(extraction.reason.length < 300);
      else assert.ok(extraction.text.length <= 20 * bytes!.length + 1_000, `${extraction.text.length}`);
    },
    0.25,
  );
}
