import assert from "node:assert/strict";
import { test } from "node:test";
import { makeDoc, makeMsg } from "../../../../testing/files/ole.ts";
import { extractDocument } from "./extract-document.ts";
import { EXTRACTION_LIMITS } from "./limits.ts";
import { listOleNames, requireOleChains } from "./ole-file.ts";

const SECTOR = 512;
const FAT_START = 76;
const DIRECTORY_START = 48;
const doc = makeDoc("Some words\n".repeat(600));
const msg = makeMsg({ properties: { "0037001F": "Tea".repeat(40), "1000001F": "Is ready".repeat(40) } });

/** The bytes of a sector. */
function sectorOf(file: Buffer, number: number): Buffer {
  return file.subarray((number + 1) * SECTOR, (number + 2) * SECTOR);
}

/** A copy in which `change` edits the allocation table, the directory or the header. */
function spoil(
  whole: Uint8Array,
  change: (parts: { header: Buffer; fat: Buffer; mini: Buffer; directory: Buffer }) => void,
): Buffer {
  const file = Buffer.from(whole);
  change({
    header: file,
    fat: sectorOf(file, file.readUInt32LE(FAT_START)),
    mini: sectorOf(file, file.readUInt32LE(60)),
    directory: sectorOf(file, file.readUInt32LE(DIRECTORY_START)),
  });
  return file;
}

const cycles: Readonly<Record<string, Uint8Array>> = {
  "a stream's chain": spoil(doc, ({ fat }) => fat.writeUInt32LE(0, 4 * 4)),
  "a small stream's chain": spoil(msg, ({ mini }) => {
    mini.writeUInt32LE(1, 0);
    mini.writeUInt32LE(0, 4);
  }),
  "the directory's chain": spoil(doc, ({ header, fat }) => {
    const start = header.readUInt32LE(DIRECTORY_START);
    fat.writeUInt32LE(start - 1, start * 4);
    fat.writeUInt32LE(start, (start - 1) * 4);
  }),
  "the tree of entries": spoil(doc, ({ directory }) => directory.writeUInt32LE(1, 128 * 2 + 72)),
  "the size of a stream": spoil(msg, ({ directory }) => directory.writeUInt32LE(0x7fff_ffff, 128 * 2 + 120)),
  "the number of tables": spoil(doc, ({ header }) => header.writeUInt32LE(0x7fffff, 44)),
};

test("a compound file with cycles or false sizes is refused, not followed", async () => {
  for (const [what, bytes] of Object.entries(cycles)) {
    const extraction = await extractDocument({ bytes }, EXTRACTION_LIMITS);
    assert.equal(extraction.kind, "failed", what);
    assert.match(extraction.reason, /without end/, what);
    assert.ok(listOleNames(bytes).size > 0, what);
  }
});

test("whole compound files pass", async () => {
  for (const bytes of [doc, msg]) {
    assert.doesNotThrow(() => requireOleChains(bytes));
    assert.equal((await extractDocument({ bytes }, EXTRACTION_LIMITS)).kind, "text");
  }
});
