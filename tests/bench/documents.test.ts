/** `bench documents` at a small scale: it compares the importer's text with another program's. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { compareDocuments } from "../../bench/documents.ts";
import { compareWords, listAgreed, listWords } from "../../bench/word-recall.ts";
import { makeDocx } from "../../testing/files/docx.ts";

test("words are normalized runs of letters and single CJK characters", () => {
  assert.deepEqual(listWords("The ﬁne 日本語 naïve-2x"), ["the", "fine", "日", "本", "語", "naïve", "2x"]);
});

test("recall counts each occurrence and names the lost words", () => {
  const overlap = compareWords(["a", "a", "b", "c"], ["a", "b", "x"]);
  assert.deepEqual(overlap, { recall: 0.5, precision: 2 / 3, lost: ["a", "c"] });
  assert.deepEqual(compareWords([], []), { recall: 1, precision: 1, lost: [] });
});

test("if another program splits a text into words in two ways, only words in both count", () => {
  assert.deepEqual(listAgreed(["tea te st a a", "a tea test a", "a tea a"]), ["tea", "a", "a"]);
  assert.deepEqual([listAgreed([]), listAgreed(["one two"])], [[], ["one", "two"]]);
});

test("a document is compared with the other program's text, and its status is kept", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-documents-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "whole.docx"), makeDocx(["one two three four five"]));
  writeFileSync(join(folder, "other.DOCX"), makeDocx(["one two threefour six"]));
  writeFileSync(join(folder, "broken.docx"), "no zip at all");
  writeFileSync(join(folder, "short.docx"), makeDocx(["one"]));
  const reference = async (path: string) => [path.includes("short") ? "one" : "one two three four five"];
  const { compared, files } = await compareDocuments(folder, "docx", reference);
  assert.equal(files, 4);
  assert.deepEqual(
    compared.map(({ path, recall, status }) => [
      path.slice(folder.length + 1),
      recall,
      status === "complete",
    ]),
    [
      ["broken.docx", 0, true],
      ["other.DOCX", 0.4, true],
      ["whole.docx", 1, true],
    ],
  );
  assert.deepEqual(compared[1]?.lost, ["three", "four", "five"]);
});
