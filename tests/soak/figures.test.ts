import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { keepFigures, replaceSection, say } from "../../bench/figures.ts";

test("figures have a date and a machine, and a run replaces only its own part", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-figures-"));
  const file = join(folder, "figures.md");
  try {
    await keepFigures("bench one", () => say("first"), { file });
    await keepFigures("bench two", () => say("other"), { file });
    await keepFigures("bench one", () => say("second"), { file });
    const text = readFileSync(file, "utf8");
    assert.deepEqual(text.match(/first|second|other/g), ["second", "other"]);
    assert.match(
      text,
      /## bench one\n\n\d{4}-\d\d-\d\d\. \d+ cores, \d+ GiB of memory, .*Node \d+.*PostgreSQL \d+/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("tables that a run did not measure stay, with their date", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-figures-"));
  const options = { file: join(folder, "figures.md"), isPartial: true };
  try {
    const saySome = (...tables: string[]) => keepFigures("bench some", () => tables.forEach(say), options);
    await saySome("### Chat: 1 record\n\n| a |", "### Mail: 2 records\n\n| b |");
    await saySome("### Chat: 3 records\n\n| c |");
    await saySome("### Chat: 4 records\n\n| d |");
    const text = readFileSync(options.file, "utf8");
    assert.deepEqual(text.match(/\| \w \|/g), ["| d |", "| b |"]);
    assert.equal(text.match(/Measured on \d{4}-\d\d-\d\d\./g)?.length, 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("of a table duplicated by a merge, only the newer one, which comes first, is kept", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-figures-"));
  const options = { file: join(folder, "figures.md"), isPartial: true };
  try {
    const saySome = (...tables: string[]) => keepFigures("bench some", () => tables.forEach(say), options);
    await saySome(
      "### Mail: 1 record\n\n| a |",
      "### Chat: 1 record\n\n| b |",
      "### Mail: 2 records\n\n| c |",
    );
    await saySome("### Chat: 2 records\n\n| d |");
    assert.deepEqual(readFileSync(options.file, "utf8").match(/\| \w \|/g), ["| d |", "| a |"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("text around a part is unchanged", () => {
  const text = replaceSection("before\n", "a", "1");
  assert.equal(replaceSection(`${text}after\n`, "a", "2"), `${text.replace("1", "2")}after\n`);
});
