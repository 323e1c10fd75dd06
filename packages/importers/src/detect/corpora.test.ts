/** Every file of the corpora, where they are available, is detected correctly when it is imported alone. */
import assert from "node:assert/strict";
import { existsSync, globSync, statSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openFiles } from "../files/open-files.ts";
import { importers } from "../importers.ts";
import { sortFiles } from "./sort-files.ts";

const CORPORA = fileURLToPath(new URL("../../../../../shared/corpora/", import.meta.url));

/** The expected format of each file, by the first matching pattern; `-` for files that no format reads. */
const table: readonly (readonly [pattern: string, format: string])[] = [
  ["calendars/*.ics", "calendar"],
  ["vcard/**/*.vcf", "contacts"],
  ["slack/testarchive.zip", "slack"],
  ["chatgpt/chatbotui-export.json", "table"],
  ["chatgpt/*.json", "chatgpt"],
  ["pdf/*.pdf", "documents"],
  ["mail-misc-tika/*.pst", "mail"],
  ["**/*.eml", "mail"],
  ["**/LICENSE*", "documents"],
  ["**/*LICENSE", "documents"],
  ["**/README*", "documents"],
  ["**/*.{png,jpg,gif,tiff,mp3,doc,rtf,tnef,dat}", "- or text"],
  ["**/tnef/attachments/bookmark.htm", "browser"],
  ["**/*-offsets.json", "table"],
  ["**/{text,tnef,files,attachments}/**", "document or -"],
  ["questions/**", "table or text"],
  ["mime/enmime/testdata/attach/*", "documents"],
  ["mime/enmime/testdata/mail/erroneous.raw", "documents"],
  ["mime/php-mail-mime-parser/tests/_data/headers/*", "mail or text"],
  ["mime/ruby-mail/**/sample_output_multipart", "-"],
  ["mime/**", "mail"],
  ["mail-misc-tika/**", "mail"],
];

/** The formats that an entry of the table allows. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  "- or text": ["-", "documents"],
  "document or -": ["-", "documents"],
  "table or text": ["table", "documents"],
  "mail or text": ["mail", "documents"],
};

test("R72 every file of the corpora is detected correctly", { skip: !existsSync(CORPORA) }, async () => {
  const paths = globSync("**/*", { cwd: CORPORA }).filter((path) => statSync(join(CORPORA, path)).isFile());
  assert.ok(paths.length > 400);
  const wrong: string[] = [];
  for (const path of paths) {
    const expected = table.find(([pattern]) => matchesGlob(path, pattern))?.[1] ?? "?";
    const files = await openFiles(join(CORPORA, path));
    const { groups, left_out, close } = await sortFiles(files, importers);
    const found = groups.map(({ importer }) => importer.id).join("+") || "-";
    if (!(allowed[expected] ?? [expected]).includes(found)) wrong.push(`${path}: ${found}, not ${expected}`);
    assert.ok(groups.length > 0 || left_out.every(({ reason }) => /^[A-Z].*\.$/s.test(reason)), path);
    await close();
    await files.close();
  }
  assert.deepEqual(wrong, []);
});
