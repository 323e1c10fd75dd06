/** The file of English words with their vectors, most frequent first; `scripts/make-word-vectors.ts` makes it and describes the format. */
import { readFileSync } from "node:fs";
import { WordTable } from "./word-table.ts";

const FILE = new URL("../../assets/word-vectors.bin", import.meta.url);

/** The dimensions of a word's vector. */
export const WORD_DIMENSIONS = 64;

/** A word's row is its rank by frequency, from 0. */
export interface WordVectors {
  readonly table: WordTable;
  readonly scales: Float32Array;
  readonly rows: Int8Array;
}

let loaded: WordVectors | undefined;

/** The words, read on first use. */
export function getWordVectors(): WordVectors {
  loaded ??= loadWordVectors();
  return loaded;
}

function loadWordVectors(): WordVectors {
  const file = readFileSync(FILE);
  if (file.toString("latin1", 0, 4) !== "RWV1" || file.readUInt32LE(8) !== WORD_DIMENSIONS)
    throw new Error("word-vectors.bin is damaged.");
  const count = file.readUInt32LE(4);
  const scalesAt = 16 + file.readUInt32LE(12);
  const rowsAt = scalesAt + 4 * count;
  return {
    table: new WordTable(file.subarray(16, scalesAt), count),
    scales: new Float32Array(Uint8Array.from(file.subarray(scalesAt, rowsAt)).buffer),
    rows: new Int8Array(file.buffer, file.byteOffset + rowsAt, count * WORD_DIMENSIONS),
  };
}
